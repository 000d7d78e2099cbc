// The event log: what happened, when, newest at the end.

const MOST = 200;

export class EventLog {
  #list;
  #zero = performance.now();
  #first = false;

  constructor(list) {
    this.#list = list;
  }

  /** A call begins: times count from here. */
  restart() {
    this.#zero = performance.now();
    this.#first = true;
  }

  add(text, kind = "") {
    this.#list.querySelector(".empty")?.remove();
    const atEnd = this.#list.scrollHeight - this.#list.scrollTop - this.#list.clientHeight < 24;
    const item = document.createElement("li");
    item.classList.toggle("call", this.#first);
    this.#first = false;
    const time = document.createElement("time");
    time.textContent = `${((performance.now() - this.#zero) / 1_000).toFixed(3)} s`;
    const words = document.createElement("span");
    words.className = kind;
    words.textContent = text;
    item.append(time, words);
    this.#list.append(item);
    if (this.#list.childElementCount > MOST) {
      this.#list.firstElementChild.remove();
    }
    // Someone reading further up is left there.
    if (atEnd) {
      this.#list.scrollTop = this.#list.scrollHeight;
    }
  }
}

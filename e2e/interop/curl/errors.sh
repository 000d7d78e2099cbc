#!/usr/bin/env bash
# Has curl bring about the errors that docs/signaling.md lists, against services that are started for this alone:
# errors.sh PARLEY, where PARLEY starts services as ./parley does. Prints each answer; ends with 1 when one is another.
set -euo pipefail

PARLEY="$1"
OFFERS="$(cd "$(dirname "$0")/../../../rtc/src/test/resources/offers" && pwd)"
WORK="$(mktemp -d)"
declare -A PIDS=()
FAILED=0
SHOWN=()

stop_all() {
    kill -CONT "${PIDS[@]}" 2>/dev/null || true
    kill "${PIDS[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$WORK"
}
trap stop_all EXIT

# Starts service $2 under the name $1, with the config on standard input; sets ADDRESS to where it is.
start() {
    local log="$WORK/$1.log"
    printf 'admin_address: off\n' | cat - /dev/fd/3 >"$WORK/$1.yaml"
    "$PARLEY" "$2" --config "$WORK/$1.yaml" >"$log" 2>&1 &
    PIDS[$1]=$!
    until grep -qs '^ready' "$log"; do
        kill -0 "${PIDS[$1]}" 2>/dev/null || { cat "$log" >&2 && exit 1; }
        sleep 0.1
    done
    ADDRESS="$(sed -n 's/^ready .* //p' "$log")"
}

# Has curl make a request, and expects status $1 and error code $2; a header $3, if it is not empty, must be there.
expect() {
    local wanted="$1 $2" header="$3" status code missing=""
    shift 3
    status="$(curl -sS --max-time 20 -o "$WORK/body" -D "$WORK/head" -w '%{http_code}' "${KEY[@]}" "$@")" || true
    code="$(sed -n 's/.*"code" *: *"\([a-z_]*\)".*/\1/p' "$WORK/body" | head -1)"
    [ -z "$header" ] || grep -qi "^$header:" "$WORK/head" || missing=" without $header"
    SHOWN+=("${wanted#* }")
    if [ "$wanted" = "$status $code" ] && [ -z "$missing" ]; then
        printf '%s %s\n' "$status" "$code"
    else
        printf '%s %s%s, where %s was expected: %s\n' "$status" "$code" "$missing" "$wanted" "$(head -c 300 "$WORK/body")"
        FAILED=1
    fi
}

# Starts a call with what curl is told beside; sets CALL to its path, and TAG to its entity tag.
call() {
    curl -sS --max-time 20 -o /dev/null -D "$WORK/head" "${KEY[@]}" "$@"
    CALL="$(sed -n 's/^[Ll]ocation: *\([[:graph:]]*\).*/\1/p' "$WORK/head")"
    [ -n "$CALL" ] || { printf 'no call is started: %s\n' "$(head -1 "$WORK/head")" && exit 1; }
}

key() {
    printf '{"name":"%s","sha256":"%s"%s}' "$1" "$(printf %s "pk_$1" | sha256sum | cut -d' ' -f1)" "$2"
}

# --- services: two stubs, one of which takes one call; two transceivers, one of which has room for one call; and three
# signaling services, for most of it, for what befalls one transceiver, and for none

KEY=()
SDP=(-H 'Content-Type: application/sdp')
FRAGMENT=(-H 'Content-Type: application/trickle-ice-sdpfrag')
OFFER=("${SDP[@]}" --data-binary "@$OFFERS/chromium-156.sdp")

start stub inference-stub 3<<<'grpc_address: 127.0.0.1:0'
stub="$ADDRESS"
start small-stub inference-stub 3<<<$'grpc_address: 127.0.0.1:0\nmax_sessions: 1'
start transceiver transceiver 3<<YAML
media_address: 127.0.0.1:0
control_address: 127.0.0.1:0
relay_cidrs: 127.0.0.0/8
route_key_id: 1
route_keys: {1: 000102030405060708090a0b0c0d0e0f}
backends: {tone: "$ADDRESS", echo: "127.0.0.1:1", "*": "$stub"}
YAML
large="$ADDRESS"
start small transceiver 3<<YAML
media_address: 127.0.0.1:0
control_address: 127.0.0.1:0
relay_cidrs: 127.0.0.0/8
route_key_id: 1
route_keys: {1: 000102030405060708090a0b0c0d0e0f}
max_sessions: 1
backends: {"*": "$stub"}
YAML
small="$ADDRESS"
printf '{"keys":[%s,%s,%s]}' "$(key all '')" "$(key narrow ',"models":["parrot"]')" \
    "$(key slow ',"calls_per_minute":1,"burst":1')" >"$WORK/keys.json"

# Starts signaling $1 for transceiver $2, with more lines of config.
signaling() {
    local name="$1" transceiver="$2"
    shift 2
    start "$name" signaling 3<<YAML
http_address: 127.0.0.1:0
transceivers: $transceiver
relay_addresses: 127.0.0.1:3478
call_id_key: 0f0e0d0c0b0a09080706050403020100
receive_timeout: 1s
$(printf '%s\n' "$@")
YAML
    BASE="http://$ADDRESS"
}
signaling edge "$large" "api_keys_file: $WORK/keys.json" 'whip_strict: true'
edge="$BASE" calls="$BASE/v1/realtime/calls"

# --- who may call

expect 401 unauthorized WWW-Authenticate "${OFFER[@]}" "$calls"
KEY=(-H 'Authorization: Bearer pk_narrow')
expect 403 forbidden '' "${OFFER[@]}" "$calls?model=scripted"
KEY=(-H 'Authorization: Bearer pk_slow')
call "${OFFER[@]}" "$calls"
expect 429 rate_limit_exceeded Retry-After "${OFFER[@]}" "$calls"
KEY=(-H 'Authorization: Bearer pk_all')

# --- what is asked for

expect 400 invalid_offer '' "${SDP[@]}" -d 'v=0' "$calls"
expect 400 invalid_request '' -H 'Content-Type: application/json' -d '{' "$calls"
expect 400 invalid_session '' -F "sdp=<$OFFERS/chromium-156.sdp" -F 'session={"model":"scripted","script":"none"}' "$calls"
expect 404 model_not_found '' "${OFFER[@]}" "$calls?model=nobody"
expect 404 not_found '' "$edge/v1/nothing"
expect 404 call_not_found '' -X DELETE "$calls/rtc_x"
expect 404 call_id_not_found '' "$edge/v1/realtime?call_id=rtc_x"
expect 405 method_not_allowed Allow -X PUT "${OFFER[@]}" "$calls"
expect 408 request_timeout '' "${SDP[@]}" -H 'Content-Length: 1000' -d 'v=0' "$calls"
head -c 100000 /dev/zero | tr '\0' x >"$WORK/large"
expect 413 request_too_large '' "${SDP[@]}" --data-binary "@$WORK/large" "$calls"
expect 415 unsupported_media_type '' -H 'Content-Type: text/plain' -d x "$edge/whip/parrot"
expect 505 http_version_not_supported '' --http1.0 "$edge/healthz"
expect 426 upgrade_required '' "$edge/v1/realtime/signaling"
call "${OFFER[@]}" "$calls"
expect 400 unsupported_renegotiation '' -X PATCH "${SDP[@]}" --data-binary "@$OFFERS/chromium-156-data-only.sdp" "$edge$CALL"
expect 412 precondition_failed '' -X PATCH "${FRAGMENT[@]}" -H 'If-Match: "x"' -d 'a=end-of-candidates' "$edge$CALL"
expect 412 ice_session_changed '' -X PATCH "${FRAGMENT[@]}" -H 'If-Match: "7"' -d 'a=end-of-candidates' "$edge$CALL"
for _ in 1 2 3 4 5 6 7 8; do
    curl -sN --max-time 60 -o /dev/null "${KEY[@]}" -H 'Connection: Upgrade' -H 'Upgrade: websocket' \
        -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==' \
        "$edge/v1/realtime?call_id=${CALL##*/}" &
    PIDS[sideband$!]=$!
done
sleep 2
expect 503 sideband_limit Retry-After "$edge/v1/realtime?call_id=${CALL##*/}"
call "${OFFER[@]}" "$edge/whip/parrot"
expect 428 precondition_required '' -X PATCH "${FRAGMENT[@]}" -d 'a=end-of-candidates' "$edge$CALL"

# --- what there is no room for, or nobody

call "${OFFER[@]}" "$calls?model=tone"
expect 503 model_overloaded Retry-After "${OFFER[@]}" "$calls?model=tone"
expect 503 inference_unavailable Retry-After "${OFFER[@]}" "$calls?model=echo"
slow=(-F "sdp=<$OFFERS/chromium-156.sdp" -F 'session={"model":"scripted","script":{"ready_after":"5s","turns":[]}}')
signaling patient "$large" 'create_timeout: 9s' 'max_starting: 1'
KEY=()
curl -sS -o /dev/null "${slow[@]}" "$BASE/v1/realtime/calls" &
sleep 1
expect 503 overloaded Retry-After "${OFFER[@]}" "$BASE/v1/realtime/calls"
wait $!
expect 503 inference_timeout Retry-After "${slow[@]}" "$BASE/v1/realtime/calls"
signaling alone 127.0.0.1:1
expect 503 service_unavailable Retry-After "${OFFER[@]}" "$BASE/v1/realtime/calls"
signaling one "$small" 'create_timeout: 1s'
kill -STOP "${PIDS[small]}"
expect 503 upstream_timeout Retry-After "${OFFER[@]}" "$BASE/v1/realtime/calls"
kill -CONT "${PIDS[small]}"
sleep 3
call "${OFFER[@]}" "$BASE/v1/realtime/calls"
expect 503 capacity_exceeded Retry-After "${OFFER[@]}" "$BASE/v1/realtime/calls"
kill "${PIDS[small]}"
sleep 3
expect 503 draining Retry-After "${OFFER[@]}" "$BASE/v1/realtime/calls"

printf '%d errors; not shown, as no client can cause them: shutting_down, internal_error, inference_bad_format\n' "${#SHOWN[@]}"
exit "$FAILED"

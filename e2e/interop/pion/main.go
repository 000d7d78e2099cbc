// Calls a running Parley with Pion: sends Opus packets, counts what comes back, has data channels echoed.
package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pion/webrtc/v3"
	"github.com/pion/webrtc/v3/pkg/media"
)

func must(err error) {
	if err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

func await(what string, done <-chan string) string {
	select {
	case text := <-done:
		return text
	case <-time.After(10 * time.Second):
		must(fmt.Errorf("%s: nothing after 10 s", what))
	}
	return ""
}

func main() {
	base := "http://127.0.0.1:8080"
	if len(os.Args) > 1 {
		base = os.Args[1]
	}
	pc, err := webrtc.NewPeerConnection(webrtc.Configuration{})
	must(err)
	track, err := webrtc.NewTrackLocalStaticSample(webrtc.RTPCodecCapability{MimeType: webrtc.MimeTypeOpus}, "audio", "pion")
	must(err)
	_, err = pc.AddTrack(track)
	must(err)
	var back, bytes, missing uint64
	pc.OnTrack(func(remote *webrtc.TrackRemote, _ *webrtc.RTPReceiver) {
		fmt.Println("track", remote.Codec().MimeType, remote.PayloadType())
		last := -1
		for {
			packet, _, err := remote.ReadRTP()
			if err != nil {
				return
			}
			if last >= 0 && packet.SequenceNumber != uint16(last+1) {
				atomic.AddUint64(&missing, 1)
			}
			last = int(packet.SequenceNumber)
			atomic.AddUint64(&back, 1)
			atomic.AddUint64(&bytes, uint64(len(packet.Payload)))
		}
	})
	begun := time.Now()
	connected := make(chan string, 9)
	pc.OnConnectionStateChange(func(state webrtc.PeerConnectionState) {
		fmt.Println(time.Since(begun).Milliseconds(), "ms", state)
		if state == webrtc.PeerConnectionStateConnected {
			connected <- ""
		}
	})
	channel, err := pc.CreateDataChannel("oai-events", nil)
	must(err)
	opened, heard := make(chan string, 1), make(chan string, 9)
	channel.OnOpen(func() { opened <- "" })
	channel.OnMessage(func(m webrtc.DataChannelMessage) { heard <- fmt.Sprint(m.IsString) + string(m.Data) })
	offer, err := pc.CreateOffer(nil)
	must(err)
	gathered := webrtc.GatheringCompletePromise(pc)
	must(pc.SetLocalDescription(offer))
	<-gathered
	response, err := http.Post(base+"/v1/realtime/calls?model=echo", "application/sdp", strings.NewReader(pc.LocalDescription().SDP))
	must(err)
	answer, err := io.ReadAll(response.Body)
	must(err)
	if response.StatusCode != 201 {
		must(fmt.Errorf("%d %s", response.StatusCode, answer))
	}
	must(pc.SetRemoteDescription(webrtc.SessionDescription{Type: webrtc.SDPTypeAnswer, SDP: string(answer)}))
	await("connected", connected)

	// One frame of 20 ms, CELT, 48 kHz: silence as libopus encodes it.
	ticker := time.NewTicker(20 * time.Millisecond)
	go func() {
		for range ticker.C {
			_ = track.WriteSample(media.Sample{Data: []byte{0xFC, 0xFF, 0xFE}, Duration: 20 * time.Millisecond})
		}
	}()
	await("open", opened)
	for _, text := range []string{"hello", "grüß \U0001f600", strings.Repeat("x", 65_535), ""} {
		must(channel.SendText(text))
		if got := await("text", heard); got != "true"+text {
			must(fmt.Errorf("%d bytes of text came back as %d others", len(text), len(got)))
		}
		must(channel.Send([]byte(text)))
		if got := await("binary", heard); got != "false"+text {
			must(fmt.Errorf("%d bytes came back as %d others", len(text), len(got)))
		}
	}
	for i := 0; i < 100; i++ {
		one, err := pc.CreateDataChannel(fmt.Sprint("c", i), nil)
		must(err)
		opened, closed, got := make(chan string, 1), make(chan string, 1), make(chan string, 1)
		one.OnOpen(func() { opened <- "" })
		one.OnClose(func() { closed <- "" })
		one.OnMessage(func(m webrtc.DataChannelMessage) { got <- string(m.Data) })
		await(fmt.Sprint("open ", i), opened)
		must(one.SendText("m"))
		await(fmt.Sprint("answer ", i), got)
		must(one.Close())
		await(fmt.Sprint("close ", i), closed)
	}
	fmt.Println("data channels: text, binary, empty, long; 100 opened and closed")
	from := atomic.LoadUint64(&back)
	time.Sleep(5 * time.Second)
	got := atomic.LoadUint64(&back) - from
	fmt.Printf("audio: %d packets back in 5 s, %d gaps, %d bytes in all\n", got, missing, bytes)
	if got < 240 {
		must(fmt.Errorf("too few packets"))
	}
	must(pc.Close())
}

package dev.parley.fuzz;

import dev.parley.signaling.http.RefusedException;
import dev.parley.signaling.ws.ClientMessage;
import java.nio.charset.StandardCharsets;

/** Messages of the signaling WebSocket. */
public final class SocketFuzz {
    private SocketFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        String text = new String(input, StandardCharsets.UTF_8);
        try {
            switch (ClientMessage.of(ClientMessage.read(text))) {
                case ClientMessage.Trickle(String fragment) ->
                        Input.demand(!fragment.isBlank(), "candidates out of nothing");
                case ClientMessage.Start _,
                        ClientMessage.Attach _,
                        ClientMessage.Restart _,
                        ClientMessage.RestartFragment _,
                        ClientMessage.HangUp _ -> {}
            }
        } catch (RefusedException refused) {
            Input.demand(
                    !String.valueOf(refused.getMessage()).isBlank(), "a refusal without a message");
        }
    }
}

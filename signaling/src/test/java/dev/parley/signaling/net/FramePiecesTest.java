package dev.parley.signaling.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.helidon.websocket.WsCloseCodes;
import io.helidon.websocket.WsCloseException;
import org.junit.jupiter.api.Test;

class FramePiecesTest {
    private final FramePieces frame = new FramePieces(100_000);

    @Test
    void refusesAFrameInPiecesOfAByte() {
        for (int bytes = 0; bytes <= FramePieces.MAX_PIECES; bytes++) {
            frame.waiting(bytes);
        }

        assertThat(refusal(FramePieces.MAX_PIECES + 1)).isEqualTo(WsCloseCodes.VIOLATED_POLICY);
    }

    @Test
    void takesAnyNumberOfFramesOfAFewPieces() {
        assertThatCode(
                        () -> {
                            for (int i = 0; i < FramePieces.MAX_PIECES; i++) {
                                frame.waiting(5_000);
                                frame.waiting(6_000);
                                frame.waiting(1);
                            }
                        })
                .doesNotThrowAnyException();
    }

    @Test
    void refusesMoreThanAFrameMayHave() {
        frame.waiting(100_014);

        assertThat(refusal(100_015)).isEqualTo(WsCloseCodes.TOO_BIG);
    }

    private int refusal(int bytes) {
        return catchThrowableOfType(WsCloseException.class, () -> frame.waiting(bytes)).closeCode();
    }
}

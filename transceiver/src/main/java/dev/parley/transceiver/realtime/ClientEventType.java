package dev.parley.transceiver.realtime;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Events that a client of the Realtime API can send. */
enum ClientEventType {
    SESSION_UPDATE("session.update"),
    INPUT_AUDIO_BUFFER_APPEND("input_audio_buffer.append"),
    INPUT_AUDIO_BUFFER_COMMIT("input_audio_buffer.commit"),
    INPUT_AUDIO_BUFFER_CLEAR("input_audio_buffer.clear"),
    OUTPUT_AUDIO_BUFFER_CLEAR("output_audio_buffer.clear"),
    CONVERSATION_ITEM_CREATE("conversation.item.create"),
    CONVERSATION_ITEM_RETRIEVE("conversation.item.retrieve"),
    CONVERSATION_ITEM_DELETE("conversation.item.delete"),
    CONVERSATION_ITEM_TRUNCATE("conversation.item.truncate"),
    RESPONSE_CREATE("response.create"),
    RESPONSE_CANCEL("response.cancel");

    private static final Map<String, ClientEventType> BY_TYPE =
            Arrays.stream(values())
                    .collect(Collectors.toMap(each -> each.type, Function.identity()));

    private final String type;

    ClientEventType(String type) {
        this.type = type;
    }

    /** As it stands in the event. */
    String type() {
        return type;
    }

    /** The one with this type, or null. */
    static @Nullable ClientEventType find(String type) {
        return BY_TYPE.get(type);
    }
}

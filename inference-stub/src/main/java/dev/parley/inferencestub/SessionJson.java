package dev.parley.inferencestub;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import dev.parley.proto.inference.v1.SessionStart;

/**
 * What the stub reads of the client's session object; attributes of the call win over it.
 *
 * @param format name of the audio format asked for, empty when none
 * @param script script to play as JSON, empty when none
 * @param realtime whether the client speaks the Realtime API's events
 */
record SessionJson(String format, String script, boolean realtime) {
    private static final String FORMAT = "format";
    private static final String SCRIPT = "script";
    private static final String TYPE = "type";
    private static final String REALTIME = "realtime";

    static SessionJson of(SessionStart start) throws Refusal {
        Struct.Builder session = Struct.newBuilder();
        String script = "";
        try {
            if (!start.getSessionJson().isBlank()) {
                JsonFormat.parser().merge(start.getSessionJson(), session);
            }
            if (session.containsFields(SCRIPT)) {
                script = JsonFormat.printer().print(session.getFieldsOrThrow(SCRIPT));
            }
        } catch (InvalidProtocolBufferException _) {
            throw Misuse.BAD_SESSION_JSON.refusal("session_json is not a JSON object");
        }
        String format =
                session.getFieldsOrDefault(FORMAT, Value.getDefaultInstance()).getStringValue();
        String type = session.getFieldsOrDefault(TYPE, Value.getDefaultInstance()).getStringValue();
        return new SessionJson(
                start.getAttributesOrDefault(FORMAT, format), script, type.equals(REALTIME));
    }
}

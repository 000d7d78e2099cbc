package dev.parley.proto.control;

import io.grpc.Metadata;

/** Trailing metadata of the errors of {@code parley.control.v1}, as its contract describes them. */
public final class ErrorTrailers {
    /** The field of the request that is at fault. */
    public static final Metadata.Key<String> PARAM =
            Metadata.Key.of("parley-error-param", Metadata.ASCII_STRING_MARSHALLER);

    /** Why, in lower_snake_case. */
    public static final Metadata.Key<String> CODE =
            Metadata.Key.of("parley-error-code", Metadata.ASCII_STRING_MARSHALLER);

    /** The code of a transceiver that takes no new calls. */
    public static final String DRAINING = "draining";

    /** The code of a transceiver that has no time for more calls now. */
    public static final String OVERLOADED = "overloaded";

    /** The code of a transceiver that has all the calls that it can have. */
    public static final String SESSION_LIMIT = "session_limit";

    private ErrorTrailers() {}
}

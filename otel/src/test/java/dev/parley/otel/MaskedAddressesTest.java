package dev.parley.otel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MaskedAddressesTest {
    @ParameterizedTest
    @CsvSource(
            textBlock =
                    """
                    from 203.0.113.77:50001 again,        from 203.0.113.x:50001 again
                    on 127.0.0.1:3478 and 0.0.0.0:1,      on 127.0.0.1:3478 and 0.0.0.0:1
                    client [2001:db8:1:2::77]:443 left,   client [2001:db8:1::x]:443 left
                    client 2001:db8:aaaa:bbbb:1:2:3:4,    client 2001:db8:aaaa::x
                    at 12:34:56.789 and 12:34:56,         at 12:34:56.789 and 12:34:56
                    version 1.2.3 of a thing,             version 1.2.3 of a thing
                    on [::1]:9480,                        on [::1]:9480
                    """)
    void masksWhatTellsPeopleApart(String text, String masked) {
        assertThat(MaskedAddresses.in(text)).isEqualTo(masked);
    }
}

package dev.parley.runtime.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.parley.runtime.udp.IpAddress;
import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CidrTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.0.1, true",
        "10.0.0.0/8, 11.0.0.1, false",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
        "0.0.0.0/0, 203.0.113.9, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "::/0, 2001:db8::1, true",
        "::/0, 1.2.3.4, true",
        "127.0.0.1, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.2, false",
        "fd00::/8, fdff::1, true",
        "fd00::/8, fe00::1, false",
        "2001:db8::/64, 2001:db8::ffff:1, true",
        "2001:db8::/64, 2001:db8:0:1::1, false",
        "2001:db8::8000/113, 2001:db8::ffff, true",
        "2001:db8::8000/113, 2001:db8::7fff, false",
        "::ffff:10.0.0.0/8, 10.9.9.9, true"
    })
    void containsExactlyItsRange(String range, String address, boolean contained) {
        InetAddress ip = InetAddress.ofLiteral(address);
        assertThat(Cidr.parse(range).contains(IpAddress.high(ip), IpAddress.low(ip)))
                .isEqualTo(contained);
    }
}

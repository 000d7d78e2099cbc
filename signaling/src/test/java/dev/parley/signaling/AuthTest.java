package dev.parley.signaling;

import static dev.parley.signaling.SignalingFixture.OFFER;
import static dev.parley.signaling.SignalingFixture.json;
import static dev.parley.signaling.SignalingFixture.location;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.parley.runtime.config.ConfigException;
import dev.parley.signaling.auth.ApiKeys;
import io.grpc.Status;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AuthTest {
    private static final String CALLS = "/v1/realtime/calls";
    private static final String SECRETS = "/v1/realtime/client_secrets";
    private static final String SDP = "application/sdp";
    private static final String JSON = "application/json";

    @TempDir private Path folder;
    private final ApiKeys.Generated shop = ApiKeys.generate("shop", new SecureRandom());
    private final ApiKeys.Generated bank = ApiKeys.generate("bank", new SecureRandom());
    private String keysFile;

    @BeforeEach
    void writeKeys() throws IOException {
        String narrow = bank.fileEntry().replace("}", ",\"models\":[\"bank-*\"]}");
        String keys = "{\"keys\":[" + shop.fileEntry() + "," + narrow + "]}";
        keysFile = Files.writeString(folder.resolve("keys.json"), keys).toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                "Bearer x",
                "Basic c2hvcDpzaG9w",
                "Bearer ek_AAAA",
                "Bearer a.b.c",
                "Bearer pk_x, Bearer pk_y"
            })
    void answers401WithoutSayingWhatWasWrong(String authorization) {
        try (var fixture = SignalingFixture.with("api_keys_file", keysFile)) {
            for (String path : new String[] {CALLS, SECRETS, CALLS + "/rtc_x/hangup"}) {
                var request = fixture.request(path).header("Content-Type", SDP);
                if (!authorization.isEmpty()) {
                    request.header("Authorization", authorization);
                }
                var response =
                        fixture.send(request.POST(HttpRequest.BodyPublishers.ofString(OFFER)));

                assertThat(response.statusCode()).isEqualTo(401);
                assertThat(response.body())
                        .isEqualTo(
                                """
                                {"error":{"message":"This needs a valid credential in the header\
                                 Authorization: Bearer.","type":"authentication_error",\
                                "code":"unauthorized","param":null}}""");
                boolean shown = authorization.matches("Bearer \\S+");
                assertThat(response.headers().firstValue("WWW-Authenticate"))
                        .contains(
                                "Bearer realm=\"parley\""
                                        + (shown ? ", error=\"invalid_token\"" : ""));
            }
            assertThat(fixture.transceiver().created).isEmpty();
        }
    }

    @Test
    void startsAndEndsCallsWithAKey() {
        try (var fixture = SignalingFixture.with("api_keys_file", keysFile)) {
            var created = send(fixture, shop.key(), "POST", CALLS, SDP, OFFER);
            assertThat(created.statusCode()).isEqualTo(201);
            assertThat(fixture.transceiver().created.element().getAttributesMap())
                    .containsEntry("caller", "key:shop");

            String call = location(created);
            assertThat(fixture.send(fixture.request(call)).statusCode()).isEqualTo(401);
            // Another's call is as unknown as one that never was.
            var stranger = send(fixture, bank.key(), "DELETE", call, "", "");
            assertThat(stranger.statusCode()).isEqualTo(404);
            assertThat(json(stranger).at("/error/code").textValue()).isEqualTo("call_not_found");

            assertThat(send(fixture, shop.key(), "GET", call, "", "").statusCode()).isEqualTo(200);
            assertThat(send(fixture, shop.key(), "DELETE", call, "", "").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void refusesModelsThatAKeyDoesNotAllow() {
        try (var fixture = SignalingFixture.with("api_keys_file", keysFile)) {
            var refused = send(fixture, bank.key(), "POST", CALLS + "?model=parrot", SDP, OFFER);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(json(refused).at("/error/type").textValue()).isEqualTo("permission_error");
            assertThat(json(refused).at("/error/code").textValue()).isEqualTo("forbidden");

            var allowed = send(fixture, bank.key(), "POST", CALLS + "?model=bank-1", SDP, OFFER);
            assertThat(allowed.statusCode()).isEqualTo(201);
            var secret = send(fixture, bank.key(), "POST", SECRETS, JSON, session("parrot"));
            assertThat(secret.statusCode()).isEqualTo(403);
        }
    }

    @Test
    void limitsTheCallsOfOneKey() throws IOException {
        limitShopToTwoCalls();
        try (var fixture = SignalingFixture.with("api_keys_file", keysFile)) {
            assertThat(start(fixture, shop.key())).isEqualTo(201);
            assertThat(start(fixture, shop.key())).isEqualTo(201);
            var third = send(fixture, shop.key(), "POST", CALLS, SDP, OFFER);
            assertThat(third.statusCode()).isEqualTo(429);
            assertThat(third.headers().firstValueAsLong("Retry-After").orElse(0))
                    .isBetween(1L, 61L);
            assertThat(start(fixture, bank.key())).isEqualTo(201);
        }
    }

    private void limitShopToTwoCalls() throws IOException {
        String limited = shop.fileEntry().replace("}", ",\"calls_per_minute\":1,\"burst\":2}");
        Files.writeString(
                Path.of(keysFile), "{\"keys\":[" + limited + "," + bank.fileEntry() + "]}");
    }

    @Test
    void offersThatAreRefusedCountAsCalls() throws IOException {
        limitShopToTwoCalls();
        try (var fixture = SignalingFixture.with("api_keys_file", keysFile)) {
            fixture.transceiver().refuse(Status.INVALID_ARGUMENT, "sdp", "");
            assertThat(start(fixture, shop.key())).isEqualTo(400);
            assertThat(start(fixture, shop.key())).isEqualTo(400);
            assertThat(start(fixture, shop.key())).isEqualTo(429);
        }
    }

    @Test
    void whatThereIsNoRoomForDoesNotCount() throws IOException {
        limitShopToTwoCalls();
        try (var fixture = SignalingFixture.with("api_keys_file", keysFile)) {
            fixture.transceiver().refuse(Status.RESOURCE_EXHAUSTED, "", "model_overloaded");
            String secret = secret(fixture, shop.key());
            for (int i = 0; i < 5; i++) {
                assertThat(start(fixture, shop.key())).isEqualTo(503);
                assertThat(start(fixture, secret)).isEqualTo(503);
            }
            fixture.transceiver().refusal = null;
            assertThat(start(fixture, secret)).isEqualTo(201);
            assertThat(start(fixture, shop.key())).isEqualTo(201);
            assertThat(start(fixture, shop.key())).isEqualTo(429);
        }
    }

    @Test
    void clientSecretsWorkOnEveryInstanceAndBringTheirSession() {
        try (var fixture = SignalingFixture.with("api_keys_file", keysFile);
                var other = fixture.startAnother(Map.of("api_keys_file", keysFile))) {
            var minted =
                    send(
                            fixture,
                            shop.key(),
                            "POST",
                            SECRETS,
                            JSON,
                            """
                            {"expires_after":{"anchor":"created_at","seconds":60},
                             "session":{"type":"realtime","model":"echo","voice":"a","speed":1.50}}
                            """);
            assertThat(minted.statusCode()).isEqualTo(200);
            String secret = json(minted).path("value").textValue();
            assertThat(secret).startsWith("ek_");
            assertThat(json(minted).path("expires_at").longValue() - Instant.now().getEpochSecond())
                    .isBetween(0L, 61L);
            assertThat(json(minted).at("/session/object").textValue())
                    .isEqualTo("realtime.session");

            for (int i = 0; i < 2; i++) {
                var request =
                        SignalingFixture.request(other, CALLS)
                                .header("Authorization", "bearer  " + secret)
                                .header("Content-Type", JSON)
                                .POST(
                                        HttpRequest.BodyPublishers.ofString(
                                                "{\"sdp\":\"v=0\",\"session\":{\"voice\":\"b\"}}"));
                assertThat(fixture.send(request).statusCode()).isEqualTo(201);
            }
            assertThat(fixture.transceiver().created)
                    .hasSize(2)
                    .allSatisfy(
                            created -> {
                                assertThat(created.getModel()).isEqualTo("echo");
                                assertThat(created.getSessionJson())
                                        .isEqualTo(
                                                """
                                                {"type":"realtime","model":"echo","voice":"b",\
                                                "speed":1.50}""");
                            });

            // It is for this model alone, makes no secrets, and its maker owns its calls.
            var model = send(fixture, secret, "POST", CALLS + "?model=parrot", SDP, OFFER);
            assertThat(model.statusCode()).isEqualTo(403);
            assertThat(send(fixture, secret, "POST", SECRETS, JSON, "{}").statusCode())
                    .isEqualTo(403);
            String call = location(send(fixture, secret, "POST", CALLS, SDP, OFFER));
            assertThat(send(fixture, shop.key(), "DELETE", call, "", "").statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void limitsTheCallsOfOneSecret() {
        try (var fixture =
                SignalingFixture.with(
                        "api_keys_file", keysFile, "client_secret_calls_per_minute", "1")) {
            String secret = secret(fixture, shop.key());
            assertThat(start(fixture, secret)).isEqualTo(201);
            assertThat(start(fixture, secret)).isEqualTo(201);
            assertThat(start(fixture, secret)).isEqualTo(201);
            assertThat(start(fixture, secret)).isEqualTo(429);
            assertThat(start(fixture, secret(fixture, shop.key()))).isEqualTo(201);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "[]|",
                "{\"session\":[]}|session",
                "{\"session\":{\"model\":7}}|session.model",
                "{\"session\":{\"model\":\"a b\"}}|session.model",
                "{\"expires_after\":{\"anchor\":\"now\"}}|expires_after.anchor",
                "{\"expires_after\":{\"seconds\":9}}|expires_after.seconds",
                "{\"expires_after\":{\"seconds\":7201}}|expires_after.seconds",
                "{\"expires_after\":{\"seconds\":60.5}}|expires_after.seconds",
                "{\"expires_after\":{\"seconds\":\"60\"}}|expires_after.seconds",
                "{\"expires_after\":{\"seconds\":99999999999999999999}}|expires_after.seconds",
                "{\"session\":{\"x\":\"LONG\"}}|session",
            })
    void saysWhatIsWrongWithAWishForASecret(String body, String param) {
        try (var fixture = SignalingFixture.with()) {
            var response = fixture.post(SECRETS, JSON, body.replace("LONG", "y".repeat(4_100)));

            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(json(response).at("/error/code").textValue()).isEqualTo("invalid_request");
            assertThat(json(response).at("/error/param").textValue()).isEqualTo(param);
        }
    }

    @Test
    void whereEveryoneMayCallSecretsStillBringTheirSession() {
        try (var fixture = SignalingFixture.with()) {
            assertThat(start(fixture, "nonsense")).isEqualTo(201);
            String secret =
                    json(fixture.post(SECRETS, JSON, session("echo"))).path("value").textValue();

            assertThat(start(fixture, secret)).isEqualTo(201);
            assertThat(fixture.transceiver().created)
                    .extracting(created -> created.getModel())
                    .containsExactly("parrot", "echo");
            assertThat(json(fixture.post(SECRETS, JSON, "")).path("value").textValue())
                    .startsWith("ek_");
        }
    }

    @Test
    void refusesToStartWhenNobodyCouldEverCall() {
        try (var fixture = SignalingFixture.with()) {
            assertThatThrownBy(() -> fixture.startAnother(Map.of("auth", "bearer")))
                    .isInstanceOf(ConfigException.class)
                    .hasMessageStartingWith("auth: is bearer but nothing recognises callers");
        }
    }

    private static String session(String model) {
        return "{\"session\":{\"model\":\"" + model + "\"}}";
    }

    private static String secret(SignalingFixture fixture, String credential) {
        return json(send(fixture, credential, "POST", SECRETS, JSON, "{}"))
                .path("value")
                .textValue();
    }

    private static int start(SignalingFixture fixture, String credential) {
        return send(fixture, credential, "POST", CALLS, SDP, OFFER).statusCode();
    }

    private static HttpResponse<String> send(
            SignalingFixture fixture,
            String credential,
            String method,
            String path,
            String type,
            String body) {
        var request = fixture.request(path).header("Authorization", "Bearer " + credential);
        if (!type.isEmpty()) {
            request.header("Content-Type", type);
        }
        return fixture.send(request.method(method, HttpRequest.BodyPublishers.ofString(body)));
    }
}

package dev.parley.signaling;

import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http.HttpService;
import io.helidon.webserver.staticcontent.ClasspathHandlerConfig;
import io.helidon.webserver.staticcontent.StaticContentFeature;

/** Serves the page on which a person tries Parley out, from the class path. */
final class DemoPage {
    // Nothing from elsewhere, nothing inline: the page cannot be made to run or send anything else.
    private static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';"
                    + " connect-src 'self'; media-src 'self' blob:; base-uri 'none';"
                    + " form-action 'none'; frame-ancestors 'none'";

    private DemoPage() {}

    static void register(HttpRouting.Builder routing) {
        HttpService files =
                StaticContentFeature.createService(
                        ClasspathHandlerConfig.builder()
                                .location("web")
                                .classLoader(DemoPage.class.getClassLoader())
                                .welcome("index.html")
                                .build());
        routing.get(
                "/*",
                (_, response) -> {
                    response.headers()
                            .set(
                                    HeaderNames.create("Content-Security-Policy"),
                                    CONTENT_SECURITY_POLICY)
                            .set(HeaderNames.create("Referrer-Policy"), "no-referrer")
                            .set(HeaderNames.create("Permissions-Policy"), "microphone=(self)")
                            // Revalidated with its ETag each time, so a new build shows at once.
                            .set(HeaderNames.CACHE_CONTROL, "no-cache");
                    response.next();
                });
        routing.register("/", files);
    }
}

package dev.parley.transceiver.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.parley.transceiver.replay.RecordedCall.UnreadableException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Recordings that somebody else may have written, or changed. */
class RecordingReaderTest {
    private static final String START =
            "{\"ms\":0.000,\"edge\":{\"session_start\":{\"session_id\":\"a\",\"model\":\"m\"}}}\n";

    @TempDir private Path folder;

    private Path file(String lines) throws IOException {
        return Files.writeString(folder.resolve("a.jsonl"), START + lines);
    }

    private static Throwable fault(Path file) {
        return catchThrowable(() -> RecordingReader.read(file));
    }

    @ParameterizedTest
    @DisplayName("what a line must not hold, and what is said about it")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{}|ms is missing, which is no number from 0 to 31536000000",
                "{'ms':-1}|ms is -1, which is no number from 0 to 31536000000",
                "{'ms':1e300}|ms is 1.0E300, which is no number from 0 to 31536000000",
                "{'ms':1,'key':{'digit':''}}|digit is '', which is none of 0123456789*#ABCD",
                "{'ms':1,'key':{'digit':'5'}}|duration_ms is missing, which is no number from 0 to"
                        + " 2147483647",
                "{'ms':1,'input':{'file_at':0,'bytes':-3}}|bytes is -3, which is no number from 0"
                        + " to 65535",
                "{'ms':1,'input':{'file_at':'x'}}|file_at is 'x', which is no number from -1 to"
                        + " 2147483647",
                "{'ms':1,'audio':{'codec':'mp3'}}|the codec 'mp3' is unknown",
                "{'ms':1,'audio':{'codec':'opus','input':''}}|input is '', which is no file beside"
                        + " it",
                "{'ms':1,'audio':{'codec':'opus','input':'..'}}|input is '..', which is no file"
                        + " beside it",
                "{'ms':1,'audio':{'codec':'opus','input':'../b.opus'}}|input is '../b.opus', which"
                        + " is no file beside it",
                "{'ms':1,'audio':{'codec':'opus','input':'/etc/b.opus'}}|input is '/etc/b.opus',"
                        + " which is no file beside it"
            })
    void saysWhichLineIsAtFault(String line, String why) throws IOException {
        assertThat(fault(file(line.replace('\'', '"') + "\n{\"ms\":2}\n")))
                .isInstanceOf(UnreadableException.class)
                .hasMessageEndingWith("a.jsonl line 2: " + why.replace('\'', '"'));
    }

    @Test
    void takesPacketsOutsideTheirFileForLost() throws Exception {
        Path file =
                file(
                        """
                        {"ms":0,"audio":{"codec":"pcmu","input":"a.input.wav"}}
                        {"ms":1,"input":{"file_at":2147483647,"bytes":160}}
                        """);
        assertThat(RecordingReader.read(file).moments()).isEmpty();
    }

    @Test
    void readsNoFileThatIsTooLargeForItsMemory() throws IOException {
        for (String name : new String[] {"c.jsonl", "c.wav", "c.opus"}) {
            Path file = folder.resolve(name);
            try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
                sparse.setLength(WholeFile.MAX_BYTES + 1);
            }
            assertThat(fault(file))
                    .isInstanceOf(UnreadableException.class)
                    .hasMessageEndingWith(
                            name + " has more than 134217728 bytes: replay a part of it");
        }
    }

    @Test
    void saysThatAFileIsNoText() throws IOException {
        Path file = folder.resolve("b.jsonl");
        Files.write(file, "caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1));
        assertThat(fault(file)).hasMessageEndingWith("b.jsonl is no text in UTF-8");
    }
}

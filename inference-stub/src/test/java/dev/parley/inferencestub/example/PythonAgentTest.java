package dev.parley.inferencestub.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The agent in examples/python, run as its reader would and called as the edge does. */
class PythonAgentTest {
    private static final String PYTHON = "/usr/bin/python3";

    @Test
    void answersAnUtteranceAndStopsWhenInterrupted(@TempDir Path stubs) throws Exception {
        assumeTrue(
                succeeds(stubs, PYTHON, "-c", "import grpc, google.protobuf"),
                "Python has no grpcio");
        assumeTrue(succeeds(stubs, "sh", "-c", "command -v grpc_python_plugin"), "no plugin");
        assertThat(
                        succeeds(
                                stubs,
                                "sh",
                                "-c",
                                "protoc -I \"$0\" --python_out=. --grpc_python_out=."
                                        + " --plugin=protoc-gen-grpc_python=$(command -v"
                                        + " grpc_python_plugin)"
                                        + " parley/inference/v1/voice_agent.proto",
                                Path.of("../proto/src/main/protobuf").toAbsolutePath().toString()))
                .isTrue();
        ProcessBuilder command =
                new ProcessBuilder(
                        PYTHON,
                        Path.of("examples/python/agent.py").toAbsolutePath().toString(),
                        "--port",
                        "0");
        command.environment().put("PYTHONPATH", stubs.toString());
        ExampleCall.toAgentOf(command);
    }

    private static boolean succeeds(Path folder, String... command)
            throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        return process.waitFor() == 0;
    }
}

package io.tensorferry.it.interop;

import io.tensorferry.api.DataType;
import io.tensorferry.api.Shape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.IntStream;

/// What two workers of different implementations send to each other: a file that both read, and contents that both
/// compute. `interop/python/README.md` describes both.
///
/// @param rows the lines of the file, in their order
record PeerPlan(List<Row> rows) {
    private static final int STEPS_PER_SEED = 13;
    private static final int ROWS_PER_SEED = 5;

    /// One line: `count` tensors with edge names `edge/0`, `edge/1`, ... in each step.
    ///
    /// @param shapes of step 1, 2, ... and over again; without a shape the tensor is dead
    record Row(int number, String edge, int count, DataType dataType, List<Optional<Shape>> shapes) {}

    /// One tensor of the plan as one of the two workers sends it.
    ///
    /// @param shape empty if it is dead
    /// @param seed of its content
    record Item(String edge, DataType dataType, Optional<Shape> shape, int seed) {
        /// The content of a tensor that is not dead and not of strings.
        byte[] bytes() {
            return pattern(seed, Math.toIntExact(shape.orElseThrow().byteSize(dataType)));
        }

        /// The elements of a string tensor.
        List<byte[]> strings() {
            return IntStream.range(0, Math.toIntExact(shape.orElseThrow().elementCount()))
                    .mapToObj(this::string)
                    .toList();
        }

        private byte[] string(int element) {
            return pattern(seed + element, (7 * element + seed) % 41);
        }

        private static byte[] pattern(int seed, int size) {
            var bytes = new byte[size];
            for (int i = 0; i < size; i++) {
                bytes[i] = (byte) (31 * i + seed);
            }
            return bytes;
        }
    }

    static PeerPlan read(Path file) throws IOException {
        var rows = new ArrayList<Row>();
        for (String line : Files.readAllLines(file)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] words = line.strip().split("\\s+");
                List<Optional<Shape>> shapes =
                        Arrays.stream(words).skip(3).map(PeerPlan::shape).toList();
                DataType type = DataType.valueOf(words[2].toUpperCase(Locale.ROOT));
                rows.add(new Row(rows.size(), words[0], Integer.parseInt(words[1]), type, shapes));
            }
        }
        return new PeerPlan(List.copyOf(rows));
    }

    private static Optional<Shape> shape(String word) {
        return switch (word) {
            case "dead" -> Optional.empty();
            case "scalar" -> Optional.of(Shape.scalar());
            default ->
                Optional.of(Shape.of(Arrays.stream(word.split("x"))
                        .mapToLong(Long::parseLong)
                        .toArray()));
        };
    }

    /// The tensors that the worker with task number `sender` sends in `step`.
    List<Item> items(int step, int sender) {
        return rows.stream()
                .flatMap(row -> IntStream.range(0, row.count()).mapToObj(k -> item(row, k, step, sender)))
                .toList();
    }

    private static Item item(Row row, int k, int step, int sender) {
        int seed = (STEPS_PER_SEED * step + ROWS_PER_SEED * row.number() + k + sender) % 256;
        return new Item(
                row.edge() + "/" + k,
                row.dataType(),
                row.shapes().get((step - 1) % row.shapes().size()),
                seed);
    }
}

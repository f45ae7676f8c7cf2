package io.tensorferry.samples.digits;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/// Images of handwritten digits with their labels; see `ATTRIBUTION.md` beside the data.
///
/// @param images each of [#PIXELS] values from 0 (paper) to 1 (ink)
/// @param labels the digit that each image shows
record Digits(List<double[]> images, List<Integer> labels) {
    static final int PIXELS = 64;
    static final int CLASSES = 10;

    private static final int TRAINING_COUNT = 1437;
    private static final double DARKEST = 16;

    /// Training and evaluation images, without overlap.
    record Split(Digits training, Digits heldOut) {}

    /// Loads all 1,797 images, in the order of the file.
    static Digits load() {
        var images = new ArrayList<double[]>();
        var labels = new ArrayList<Integer>();
        try (var stream = Objects.requireNonNull(Digits.class.getResourceAsStream("digits.csv.gz"), "digits.csv.gz");
                var lines = new BufferedReader(
                        new InputStreamReader(new GZIPInputStream(stream), StandardCharsets.US_ASCII))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int[] numbers = Arrays.stream(line.split(","))
                        .mapToInt(Integer::parseInt)
                        .toArray();
                images.add(Arrays.stream(numbers, 0, PIXELS)
                        .mapToDouble(pixel -> pixel / DARKEST)
                        .toArray());
                labels.add(numbers[PIXELS]);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Digits(images, labels);
    }

    /// Shuffles the images with `seed`: the first 1,437 for training, the other 360 held out. Every process with the
    /// same seed gets the same split.
    static Split shuffledSplit(long seed) {
        Digits all = load();
        Collections.shuffle(all.images, new Random(seed));
        Collections.shuffle(all.labels, new Random(seed));
        return new Split(all.range(0, TRAINING_COUNT), all.range(TRAINING_COUNT, all.count()));
    }

    int count() {
        return images.size();
    }

    private Digits range(int from, int to) {
        return new Digits(images.subList(from, to), labels.subList(from, to));
    }
}

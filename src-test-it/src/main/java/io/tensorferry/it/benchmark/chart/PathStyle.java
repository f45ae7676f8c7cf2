package io.tensorferry.it.benchmark.chart;

/// The style of a path in every chart.
///
/// @param colour a class of the style sheet
/// @param hollow whether markers are unfilled and lines dashed
record PathStyle(String colour, Marker marker, boolean hollow) {
    String lineClasses() {
        return hollow ? colour + " line dashes" : colour + " line";
    }

    /// The form of a marker.
    enum Marker {
        CIRCLE("M-4.5,0 a4.5,4.5 0 1,0 9,0 a4.5,4.5 0 1,0 -9,0 z"),
        SQUARE("M-4,-4 h8 v8 h-8 z"),
        TRIANGLE("M0,-5 L5,4 L-5,4 z"),
        DIAMOND("M0,-5.5 L5.5,0 L0,5.5 L-5.5,0 z");

        private final String outline;

        Marker(String outline) {
            this.outline = outline;
        }

        /// The marker as an SVG path around the origin.
        String outline() {
            return outline;
        }
    }
}

package io.tensorferry.it.benchmark.chart;

/// The style sheet of a chart: text, background and panels as in the diagrams of `docs/images`, and the colours of
/// [PathStyles]. It is embedded because an SVG file in an `<img>` cannot load a style sheet.
final class SvgStyle {
    static final String ELEMENT = """
              <style>
                text { font: 14px -apple-system, "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif; fill: #1f2328; }
                .h { font-weight: 600; font-size: 16px; }
                .n { font-size: 13px; fill: #59636e; }
                .c { text-anchor: middle; }
                .e { text-anchor: end; }
                .warn { fill: #cf222e; }
                .bg { fill: #ffffff; }
                .panel { fill: #f6f8fa; stroke: #d1d9e0; }
                .grid { stroke: #d1d9e0; }
                .goal { stroke: #1f2328; stroke-width: 1.5; stroke-dasharray: 2 3; }
                .line { fill: none; stroke: currentColor; stroke-width: 2; }
                .dashes { stroke-dasharray: 6 4; }
                .bar { fill: none; stroke: currentColor; stroke-width: 1.5; }
                .mark { fill: currentColor; stroke: currentColor; stroke-width: 1.5; }
                .hollow { fill: #ffffff; }
                .ink { color: #1f2328; }
                .missed { color: #cf222e; }
                .blue { color: #0969da; }
                .green { color: #1a7f37; }
                .orange { color: #bc4c00; }
                .purple { color: #8250df; }
                .teal { color: #117a8b; }
                .red { color: #cf222e; }
                .brown { color: #7d4e00; }
                .pink { color: #bf3989; }
                .grey { color: #6e7781; }
                .olive { color: #6a7b00; }
                .indigo { color: #4c4fb5; }
                .salmon { color: #d4622f; }
                .aqua { color: #00857a; }
                @media (prefers-color-scheme: dark) {
                  text { fill: #f0f6fc; }
                  .n { fill: #9198a1; }
                  .warn { fill: #f85149; }
                  .bg { fill: #0d1117; }
                  .panel { fill: #151b23; stroke: #3d444d; }
                  .grid { stroke: #2a313a; }
                  .goal { stroke: #f0f6fc; }
                  .hollow { fill: #0d1117; }
                  .ink { color: #f0f6fc; }
                  .missed { color: #f85149; }
                  .blue { color: #58a6ff; }
                  .green { color: #3fb950; }
                  .orange { color: #f0883e; }
                  .purple { color: #bc8cff; }
                  .teal { color: #39c5cf; }
                  .red { color: #ff7b72; }
                  .brown { color: #d29922; }
                  .pink { color: #f778ba; }
                  .grey { color: #9198a1; }
                  .olive { color: #b5c400; }
                  .indigo { color: #8b93ff; }
                  .salmon { color: #ffa07a; }
                  .aqua { color: #2dd4bf; }
                }
              </style>
            """;

    private SvgStyle() {}
}

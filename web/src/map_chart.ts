// SPDX-License-Identifier: Apache-2.0
// The chart of the map: layers of points, and the frame that pointer and keys
// move without a new drawing.
import type { View } from "vega";
import { Chart } from "./chart";
import type { Canvas, Row } from "./chart";
import type { ReportData } from "./data";
import { frameOf, mapRows, moved, zoomed } from "./map_layout";
import type { Frame, Layout, Wish } from "./map_layout";
import { rowFacts } from "./provenance";
import { readColours } from "./theme";
import { hideTooltip } from "./tooltip";

const LAYERS = ["bank", "links", "anchors", "outliers", "selected"] as const;
const MOST_HEIGHT = 560;
const PADDING = 34;

interface Titles {
  x: string;
  y: string;
}

function position(name: "x" | "y", field: string, title: string): object {
  return {
    field,
    type: "quantitative",
    scale: {
      domain: [{ expr: `${name}0` }, { expr: `${name}1` }],
      zero: false,
      nice: false,
    },
    axis: {
      title,
      labels: false,
      ticks: false,
      domain: false,
      grid: false,
      titlePadding: 8,
    },
  };
}

function spec(
  size: { width: number; height: number },
  frame: Frame,
  titles: Titles,
  outliers: number,
  canvas: Canvas,
): object {
  const x = position("x", "x", titles.x);
  const y = position("y", "y", titles.y);
  // Marks are smaller where there is less room for each.
  const isTight = size.width < 480 || outliers > 300;
  const scale = isTight ? 0.55 : 1;
  const colour = { field: "colour", type: "nominal", scale: null };
  const layer = (name: string, mark: object, encoding: object) => ({
    data: { name, values: [] },
    mark: { clip: true, tooltip: true, ...mark },
    encoding: { x, y, ...encoding },
  });
  return {
    ...size,
    view: { stroke: canvas.colours.grid },
    params: [
      { name: "x0", value: frame.x[0] },
      { name: "x1", value: frame.x[1] },
      { name: "y0", value: frame.y[0] },
      { name: "y1", value: frame.y[1] },
    ],
    layer: [
      layer(
        "bank",
        { type: "point", filled: true, size: 16 * scale, opacity: 0.42 },
        { color: colour },
      ),
      layer(
        "links",
        { type: "rule", opacity: 0.55, strokeWidth: 1 },
        { x2: { field: "fromX" }, y2: { field: "fromY" }, color: colour },
      ),
      layer(
        "anchors",
        {
          type: "point",
          filled: false,
          size: 58 * scale,
          strokeWidth: 1.6,
          opacity: 1,
        },
        { stroke: colour },
      ),
      layer(
        "outliers",
        {
          type: "point",
          shape: "diamond",
          filled: true,
          size: 78 * scale,
          opacity: 1,
          stroke: canvas.colours.paper,
          strokeWidth: 0.8,
        },
        { fill: colour },
      ),
      layer(
        "selected",
        {
          type: "point",
          filled: false,
          size: 360 * scale,
          strokeWidth: 2.5,
          opacity: 1,
          stroke: canvas.colours.ink,
          tooltip: false,
        },
        {},
      ),
    ],
  };
}

/** See the top of the file. */
export class MapChart {
  readonly chart: Chart;
  private view: View | null = null;
  private frame: Frame | null = null;
  private size = { width: 1, height: 1 };

  constructor(
    private readonly data: ReportData,
    private layout: Layout,
    private titles: Titles,
    private readonly wish: Wish,
    onSelect: (outlier: number) => void,
  ) {
    this.chart = new Chart({
      label:
        "Map of bank, anchors and outliers in two dimensions; the arrow keys " +
        "step through the outliers.",
      renderer: "canvas",
      spec: (canvas) => this.makeSpec(canvas),
      tooltip: (row) => rowFacts(data, row),
      onClick: (row: Row) => {
        const isOutlier = row["kind"] === "outliers" || row["kind"] === "links";
        if (isOutlier) onSelect(row["i"] as number);
      },
      onDraw: (view) => {
        this.view = view;
        void this.update();
      },
    });
    this.bindPointer();
  }

  /** Takes another layout and shows all of it. */
  setLayout(layout: Layout, titles: Titles): void {
    this.layout = layout;
    this.titles = titles;
    this.frame = null;
    this.chart.redraw();
  }

  /** Draws the points that are wanted now. */
  async update(): Promise<void> {
    const rows = mapRows(this.data, this.layout, this.wish, readColours());
    for (const name of LAYERS) this.view?.data(name, rows[name]);
    await this.view?.runAsync();
  }

  zoom(factor: number, x = 0.5, y = 0.5): void {
    if (this.frame) this.setFrame(zoomed(this.frame, factor, x, y));
  }

  reset(): void {
    this.setFrame(frameOf(this.layout, this.size.width, this.size.height));
  }

  private makeSpec(canvas: Canvas): object {
    const width = canvas.width - PADDING;
    const size = { width, height: Math.min(MOST_HEIGHT, width) };
    // A new width is a new frame: both axes keep the same unit.
    if (size.width !== this.size.width) this.frame = null;
    this.size = size;
    this.frame ??= frameOf(this.layout, size.width, size.height);
    const outliers = this.data.outliers.x.length;
    return spec(size, this.frame, this.titles, outliers, canvas);
  }

  private setFrame(frame: Frame): void {
    this.frame = frame;
    hideTooltip();
    this.view
      ?.signal("x0", frame.x[0])
      .signal("x1", frame.x[1])
      .signal("y0", frame.y[0])
      .signal("y1", frame.y[1]);
    void this.view?.runAsync();
  }

  /** The mouse drags; the wheel zooms with Ctrl, so that a page still scrolls. */
  private bindPointer(): void {
    const { plot } = this.chart;
    plot.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        const box = plot.getBoundingClientRect();
        const [left, top] = this.view?.origin() ?? [0, 0];
        const x = (event.clientX - box.left - left) / this.size.width;
        const y = 1 - (event.clientY - box.top - top) / this.size.height;
        this.zoom(event.deltaY < 0 ? 1.25 : 0.8, x, y);
      },
      { passive: false },
    );
    plot.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "mouse" || event.buttons !== 1) return;
      if (!this.frame) return;
      const dx = -event.movementX / this.size.width;
      const dy = event.movementY / this.size.height;
      this.setFrame(moved(this.frame, dx, dy));
    });
  }
}

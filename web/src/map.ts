// SPDX-License-Identifier: Apache-2.0
// The map of the latent space: controls, chart and the provenance of the
// outlier that is looked at.
import type { ReportData } from "./data";
import { choice, classMenu, h, section } from "./dom";
import type { Child } from "./dom";
import { samplingNote } from "./energies";
import { count, percent } from "./format";
import { legend } from "./legend";
import type { LegendEntry, Mark } from "./legend";
import { MapChart } from "./map_chart";
import { KIND_COLOURS, pcaLayout, umapLayout } from "./map_layout";
import type { Layout, Wish } from "./map_layout";
import { outlierFacts } from "./provenance";
import { computeUmap, LEAST_POINTS } from "./umap";

const COLOURED_CLASSES = 6;

type LayoutName = "pca" | "umap";

function featureCount(data: ReportData): number {
  const features = data.map.features;
  if (!features) return 0;
  return (
    features.bank.length + features.anchors.length + features.outliers.length
  );
}

function classLegend(data: ReportData): HTMLElement {
  const entries = data.classes
    .slice(0, COLOURED_CLASSES)
    .map((c, i): LegendEntry => ({
      mark: "box",
      colour: `var(--class-${i + 1})`,
      words: c.name,
    }));
  const others = data.classes.length - entries.length;
  if (others > 0) {
    const words = `${count(others)} more (choose one to mark it)`;
    entries.push({ mark: "box", colour: "var(--other)", words });
  }
  return legend("Colours of the classes", entries);
}

/** Chart and panel, and what moves them. */
class MapSection {
  private readonly wish: Wish = {
    cls: -1,
    bank: true,
    anchors: true,
    outliers: true,
    links: true,
    selected: -1,
  };
  private readonly pca: Layout;
  private umap: Layout | null = null;
  private readonly chart: MapChart;
  private readonly panel = h("div", { class: "panel", "aria-live": "polite" });
  private readonly status = h("p", { class: "status", role: "status" });
  private wanted: LayoutName = "pca";
  private isBusy = false;

  constructor(private readonly data: ReportData) {
    this.pca = pcaLayout(data);
    const onSelect = (outlier: number) => this.select(outlier);
    const titles = this.pcaTitles();
    this.chart = new MapChart(data, this.pca, titles, this.wish, onSelect);
    this.showPanel();
  }

  elements(): Child[] {
    return [
      this.controls(),
      this.kinds(),
      this.data.classes.length > 1 ? classLegend(this.data) : null,
      this.status,
      h("div", { class: "map" }, this.stage(), this.side()),
    ];
  }

  private pcaTitles() {
    const title = (axis: 0 | 1) =>
      `Principal axis ${axis + 1} ` +
      `(${percent(this.data.map.explained[axis])} of the variance)`;
    return { x: title(0), y: title(1) };
  }

  private controls(): HTMLElement {
    const names = this.data.classes.map((c) => c.name);
    const hasUmap = featureCount(this.data) >= LEAST_POINTS;
    return h(
      "div",
      { class: "controls" },
      names.length > 1
        ? classMenu(names, (cls) => {
            this.wish.cls = cls;
            void this.chart.update();
          })
        : null,
      hasUmap
        ? choice<LayoutName>(
            "Layout",
            [
              ["pca", "PCA"],
              ["umap", `UMAP of ${count(featureCount(this.data))} points`],
            ],
            "pca",
            (name) => void this.setLayout(name),
          )
        : null,
    );
  }

  /** Which points are drawn; also the legend of their shapes. */
  private kinds(): HTMLElement {
    const entries: ["bank" | "anchors" | "outliers" | "links", Mark, string][] =
      [
        ["bank", "dot", "bank"],
        ["anchors", "ring", "anchors"],
        ["outliers", "diamond", "outliers"],
        ["links", "line", "anchor to outlier"],
      ];
    const boxes = entries.map(([key, mark, words]) => {
      const input = h("input", { type: "checkbox", checked: true });
      input.addEventListener("change", () => {
        this.wish[key] = input.checked;
        void this.chart.update();
      });
      const colour = this.data.classes.length > 1 ? "muted" : KIND_COLOURS[key];
      const swatch = legend("", [
        { mark, colour: `var(--${colour})`, words: "" },
      ]);
      const drawing = swatch.querySelector("svg");
      return h("label", { class: "check" }, input, drawing, words);
    });
    return h(
      "div",
      { class: "checks", role: "group", "aria-label": "Points that are drawn" },
      ...boxes,
    );
  }

  private stage(): HTMLElement {
    const stage = h(
      "div",
      {
        class: "stage",
        tabindex: 0,
        role: "group",
        "aria-label":
          "Map. Arrow keys step through the outliers, plus and minus zoom, " +
          "0 shows everything.",
      },
      this.chart.chart.element,
    );
    const keys: Record<string, () => void> = {
      ArrowRight: () => this.step(1),
      ArrowDown: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      ArrowUp: () => this.step(-1),
      "+": () => this.chart.zoom(1.5),
      "=": () => this.chart.zoom(1.5),
      "-": () => this.chart.zoom(1 / 1.5),
      "0": () => this.chart.reset(),
    };
    stage.addEventListener("keydown", (event) => {
      const action = keys[event.key];
      if (!action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    });
    return stage;
  }

  private side(): HTMLElement {
    const button = (words: string, label: string, action: () => void) => {
      const isWide = words.length > 4;
      const made = h(
        "button",
        {
          type: "button",
          "aria-label": label,
          class: isWide ? "wide" : null,
        },
        words,
      );
      made.addEventListener("click", action);
      return made;
    };
    return h(
      "div",
      { class: "side" },
      h(
        "div",
        { class: "buttons" },
        button("‹ Previous", "Previous outlier", () => this.step(-1)),
        button("Next ›", "Next outlier", () => this.step(1)),
        button("+", "Zoom in", () => this.chart.zoom(1.5)),
        button("−", "Zoom out", () => this.chart.zoom(1 / 1.5)),
        button("All", "Show all", () => this.chart.reset()),
      ),
      this.panel,
    );
  }

  /** To the next outlier that is on the map. */
  private step(by: 1 | -1): void {
    const { outliers } = this.data;
    const layout = this.current();
    const length = outliers.x.length;
    let at = this.wish.selected;
    for (let tries = 0; tries < length; ++tries) {
      at = at < 0 && by < 0 ? length - 1 : (at + by + length) % length;
      const isWanted =
        this.wish.cls < 0 || outliers.class[at] === this.wish.cls;
      if (isWanted && layout.outliers[at]) return this.select(at);
    }
  }

  private select(outlier: number): void {
    this.wish.selected = outlier;
    this.showPanel();
    void this.chart.update();
  }

  private showPanel(): void {
    const { selected } = this.wish;
    this.panel.replaceChildren(
      selected < 0
        ? h(
            "p",
            { class: "hint" },
            "Rest the pointer on a point to see where it comes from. Click an " +
              "outlier, or step through them with the buttons or the arrow " +
              "keys, to keep its provenance here.",
          )
        : outlierFacts(this.data, selected),
    );
  }

  private current(): Layout {
    return (this.wanted === "umap" ? this.umap : null) ?? this.pca;
  }

  private async setLayout(name: LayoutName): Promise<void> {
    this.wanted = name;
    if (name === "umap" && !this.umap) {
      if (this.isBusy) return;
      await this.runUmap();
    }
    const layout = this.current();
    this.status.hidden = layout === this.pca && !this.isBusy;
    this.chart.setLayout(
      layout,
      layout === this.pca ? this.pcaTitles() : { x: "UMAP 1", y: "UMAP 2" },
    );
  }

  private async runUmap(): Promise<void> {
    const features = this.data.map.features;
    if (!features) return;
    this.isBusy = true;
    const bar = h("progress", { max: 1, value: 0, "aria-label": "UMAP" });
    this.status.replaceChildren("Computing UMAP… ", bar);
    const rows = await computeUmap(features, (share) => (bar.value = share));
    this.umap = umapLayout(this.data, rows);
    this.isBusy = false;
    this.status.replaceChildren(
      `UMAP of ${count(rows.length)} of the points above, computed in this ` +
        "page; distances between far groups mean little.",
    );
  }
}

/** The section. */
export function mapSection(data: ReportData): HTMLElement {
  const share = data.map.explained[0] + data.map.explained[1];
  return section(
    "map",
    "Map of the latent space",
    [
      "Each outlier is joined to the anchor it was drawn from. Two principal ",
      `axes carry ${percent(share)} of the variance. `,
      samplingNote(data),
    ],
    ...new MapSection(data).elements(),
  );
}

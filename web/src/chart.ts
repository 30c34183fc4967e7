// SPDX-License-Identifier: Apache-2.0
// A Vega-Lite chart as a figure: drawn when it comes near the window or when
// there is time, drawn again when its width or the colours change. Expressions are interpreted, so
// the page needs no permission to make code.
import { parse, View } from "vega";
import type { Item, Renderers } from "vega";
import { expressionInterpreter } from "vega-interpreter";
import { compile } from "vega-lite";
import type { Config, TopLevelSpec } from "vega-lite";
import { h } from "./dom";
import type { Child } from "./dom";
import { onThemeChange, readColours } from "./theme";
import type { Colours } from "./theme";
import { hideTooltip, showTooltip } from "./tooltip";

export type Row = Record<string, unknown>;

/** What a chart is drawn with. */
export interface Canvas {
  width: number;
  colours: Colours;
}

export interface ChartOptions {
  /** What the chart shows, for those who cannot see it. */
  label: string;
  spec: (canvas: Canvas) => object;
  caption?: Child[];
  renderer?: Renderers;
  /** What the tooltip of a datum says; null: none. */
  tooltip?: (datum: Row) => Node | null;
  onClick?: (datum: Row) => void;
  /** Called after every drawing. */
  onDraw?: (view: View) => void;
}

const FONT = 'system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const NEAR = "600px";

function configOf(colours: Colours): Config {
  return {
    background: "transparent",
    font: FONT,
    padding: { left: 0, top: 4, right: 6, bottom: 6 },
    view: { stroke: null },
    axis: {
      domainColor: colours.grid,
      gridColor: colours.grid,
      tickColor: colours.grid,
      labelColor: colours.muted,
      labelFontSize: 12,
      labelPadding: 6,
      titleColor: colours.muted,
      titleFontSize: 12,
      titleFontWeight: "normal",
      titlePadding: 10,
      tickSize: 4,
    },
    header: {
      labelColor: colours.ink,
      labelFontSize: 13,
      labelFontWeight: 600,
      labelAnchor: "start",
      title: null,
    },
    text: { color: colours.ink, font: FONT, fontSize: 12 },
  };
}

function whenIdle(work: () => void): void {
  // Not every browser says when it has time.
  if ("requestIdleCallback" in window) requestIdleCallback(work);
  else setTimeout(work, 500);
}

/** See the top of the file. */
export class Chart {
  readonly element: HTMLElement;
  readonly plot = h("div", { class: "plot" });
  private view: View | null = null;
  private width = 0;
  private isWatched = false;

  constructor(private readonly options: ChartOptions) {
    this.element = h(
      "figure",
      { class: "chart" },
      this.plot,
      options.caption ? h("figcaption", {}, ...options.caption) : null,
    );
    this.plot.setAttribute("role", "img");
    this.plot.setAttribute("aria-label", options.label);
    this.plot.addEventListener("mouseleave", hideTooltip);
    const begin = () => {
      near.disconnect();
      if (!this.isWatched) this.watch();
    };
    const near = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) begin();
      },
      { rootMargin: NEAR },
    );
    near.observe(this.plot);
    // Paper has no place to scroll to: the rest is drawn when there is time.
    window.addEventListener("load", () => whenIdle(begin));
  }

  /** Draws again, when it was drawn at all. */
  redraw(): void {
    if (this.width > 0) void this.draw();
  }

  private watch(): void {
    this.isWatched = true;
    let timer = 0;
    const onWidth = () => {
      const width = Math.floor(this.plot.clientWidth);
      if (width === this.width || width === 0) return;
      this.width = width;
      void this.draw();
    };
    onThemeChange(() => this.redraw());
    new ResizeObserver(() => {
      clearTimeout(timer);
      timer = setTimeout(onWidth, this.width === 0 ? 0 : 120);
    }).observe(this.plot);
  }

  private async draw(): Promise<void> {
    const colours = readColours();
    const spec = this.options.spec({ width: this.width, colours });
    const config = configOf(colours);
    const { spec: compiled } = compile({ ...spec, config } as TopLevelSpec);
    this.view?.finalize();
    const view = new View(parse(compiled, undefined, { ast: true }), {
      expr: expressionInterpreter,
      renderer: this.options.renderer ?? "svg",
      container: this.plot,
      hover: true,
      tooltip: (_handler, event, item) => this.onHover(event, item),
    });
    this.view = view;
    if (this.options.onClick) {
      view.addEventListener("click", (_event, item) => {
        if (item?.datum) this.options.onClick?.(item.datum as Row);
      });
    }
    await view.runAsync();
    // Vega names the container as it sees fit; the label is ours.
    this.plot.setAttribute("role", "img");
    this.plot.setAttribute("aria-label", this.options.label);
    this.plot.removeAttribute("aria-roledescription");
    this.plot.dataset["drawn"] = "";
    this.options.onDraw?.(view);
  }

  private onHover(event: MouseEvent, item: Item | null): void {
    const datum = item?.datum as Row | undefined;
    const content = datum && this.options.tooltip?.(datum);
    if (content) showTooltip(event.clientX, event.clientY, content);
    else hideTooltip();
  }
}

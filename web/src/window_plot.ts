// SPDX-License-Identifier: Apache-2.0
// A decoded window as small plots: the recorded channel behind, the edited one
// on top, and where it was edited.
import type { EditedChannel, WindowExample } from "./data";
import { s } from "./dom";
import { count, number } from "./format";

const WIDTH = 640;
const HEIGHT = 132;
const LEFT = 58;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 22;

interface Scale {
  low: number;
  high: number;
  x: (sample: number) => number;
  y: (value: number) => number;
}

function scaleOf({ source, edited }: EditedChannel): Scale {
  const values = [...source, ...edited];
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const room = 0.06 * (most - least) || 1;
  const [low, high] = [least - room, most + room];
  const last = Math.max(1, source.length - 1);
  return {
    low,
    high,
    x: (sample) => {
      const at = Math.min(last, Math.max(0, sample)) / last;
      return LEFT + at * (WIDTH - LEFT - RIGHT);
    },
    y: (value) => {
      const at = (Math.min(high, Math.max(low, value)) - low) / (high - low);
      return HEIGHT - BOTTOM - at * (HEIGHT - TOP - BOTTOM);
    },
  };
}

function curve(values: number[], scale: Scale, style: string): SVGElement {
  const points = values.map(
    (value, i) => `${scale.x(i).toFixed(1)} ${scale.y(value).toFixed(1)}`,
  );
  return s("path", { class: style, d: `M${points.join("L")}` });
}

function word(x: number, y: number, words: string, anchor: string): SVGElement {
  return s("text", { x, y, "text-anchor": anchor }, words);
}

function backdrop(channel: EditedChannel, scale: Scale): SVGElement[] {
  const top = scale.y(Math.min(scale.high, channel.high));
  const bottom = scale.y(Math.max(scale.low, channel.low));
  const width = WIDTH - LEFT - RIGHT;
  const height = HEIGHT - TOP - BOTTOM;
  return [
    s("rect", {
      class: "band",
      x: LEFT,
      y: top,
      width,
      height: Math.max(0, bottom - top),
    }),
    ...channel.spans.map(([first, end]) =>
      s("rect", {
        class: "span",
        x: scale.x(first),
        y: TOP,
        width: Math.max(1.5, scale.x(end) - scale.x(first)),
        height,
      }),
    ),
    s("rect", { class: "frame", x: LEFT, y: TOP, width, height }),
  ];
}

function axes(
  channel: EditedChannel,
  window: WindowExample,
  scale: Scale,
): SVGElement[] {
  const values = [...channel.source, ...channel.edited];
  const least = values.reduce((a, b) => Math.min(a, b), Infinity);
  const most = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const last = window.first_row + channel.source.length - 1;
  const [from, to] = window.times ?? [
    `row ${count(window.first_row)}`,
    `row ${count(last)}`,
  ];
  return [
    word(LEFT - 8, scale.y(most) + 8, number(most), "end"),
    word(LEFT - 8, scale.y(least), number(least), "end"),
    word(LEFT, HEIGHT - 5, from, "start"),
    word(WIDTH - RIGHT, HEIGHT - 5, to, "end"),
  ];
}

/** The plot of one channel. */
export function plotChannel(
  channel: EditedChannel,
  window: WindowExample,
): SVGSVGElement {
  const scale = scaleOf(channel);
  const spans = channel.spans
    .map(([first, end]) => `${count(first)} to ${count(end)}`)
    .join(", ");
  const label =
    `${channel.name}: recorded and edited values, ` +
    `edited from sample ${spans} of ${count(channel.source.length)}`;
  return s(
    "svg",
    {
      class: "window",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": label,
    },
    ...backdrop(channel, scale),
    curve(channel.source, scale, "source"),
    curve(channel.edited, scale, "edited"),
    ...axes(channel, window, scale),
  );
}

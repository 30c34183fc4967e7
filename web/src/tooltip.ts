// SPDX-License-Identifier: Apache-2.0
// The box beside the pointer. Its content are elements, never markup.
import { h } from "./dom";

const GAP = 14;
const box = h("div", { id: "tooltip", role: "tooltip", hidden: true });

/** Shows `content` beside a place of the window. */
export function showTooltip(x: number, y: number, content: Node): void {
  if (!box.isConnected) document.body.append(box);
  box.replaceChildren(content);
  box.hidden = false;
  const width = document.documentElement.clientWidth;
  const height = document.documentElement.clientHeight;
  const left =
    x + GAP + box.offsetWidth > width ? x - GAP - box.offsetWidth : x + GAP;
  const top =
    y + GAP + box.offsetHeight > height ? y - GAP - box.offsetHeight : y + GAP;
  box.style.left = `${Math.max(4, left)}px`;
  box.style.top = `${Math.max(4, top)}px`;
}

/** Takes it away. */
export function hideTooltip(): void {
  box.hidden = true;
}

/** A heading with pairs of words and values. */
export function facts(
  heading: Node | string,
  pairs: [string, Node | string][],
): HTMLElement {
  const rows = pairs.flatMap(([name, value]) => [
    h("dt", {}, name),
    h("dd", {}, value),
  ]);
  return h(
    "div",
    { class: "facts" },
    h("p", { class: "facts-title" }, heading),
    h("dl", {}, ...rows),
  );
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTooltip();
});
addEventListener("scroll", hideTooltip, { passive: true });

// SPDX-License-Identifier: Apache-2.0
// Decoded images beside their sources, class by class, and one pair enlarged
// with where it comes from.
import type { ImageExample, ReportData } from "./data";
import { details, foreign, h } from "./dom";
import type { Child } from "./dom";
import { count, counted, number } from "./format";
import { outlierFacts } from "./provenance";
import { facts } from "./tooltip";

const MOST_FIRST = 6; // pairs that are shown before the rest
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** A picture, or null for what is none. */
export function picture(png: string, words: string): HTMLElement | null {
  if (!BASE64.test(png)) return null;
  const src = `data:image/png;base64,${png}`;
  return h("img", { src, alt: words, loading: "lazy", decoding: "async" });
}

function pair(data: ReportData, image: ImageExample): Child[] {
  const name = data.classes[image.class]?.name ?? "?";
  const what = `outlier ${count(image.outlier)} of class ${name}`;
  return [
    image.source_png ? picture(image.source_png, `source of ${what}`) : null,
    picture(image.png, what),
  ];
}

/** Where the encoder places the decoded image. */
function side(image: ImageExample): string {
  if (image.outside === null) return "";
  return image.outside ? "outside" : "inside";
}

/** An image that lies inside again is marked as none. */
function title(image: ImageExample): string {
  return image.outside === false
    ? `No outlier: ${count(image.outlier)}`
    : `Outlier ${count(image.outlier)}`;
}

function caption(image: ImageExample): HTMLElement {
  const lines: [string, string][] = [];
  if (image.energy !== null) lines.push(["energy", number(image.energy)]);
  if (image.decoded_energy !== null) {
    lines.push(["decoded", number(image.decoded_energy)]);
    lines.push(["lies", side(image)]);
  }
  if (image.severity !== null) {
    lines.push(["severity", count(image.severity)]);
  }
  if (image.nearest_image !== null) {
    lines.push(["nearest", number(image.nearest_image)]);
  }
  return h(
    "figcaption",
    {},
    h("strong", {}, title(image)),
    h(
      "dl",
      {},
      ...lines.flatMap(([name, value]) => [
        h("dt", {}, name),
        h("dd", {}, value),
      ]),
    ),
  );
}

/** What the image says, in full, for the enlarged pair. */
function imageFacts(data: ReportData, image: ImageExample): HTMLElement {
  const name = data.classes[image.class]?.name ?? "?";
  const pairs: [string, Node | string][] = [
    ["class", foreign(name)],
    ["energy in its class", number(image.energy, 4)],
    ["after decoding", number(image.decoded_energy, 4)],
    ["threshold", number(data.classes[image.class]?.threshold ?? null, 4)],
    ["decoded image lies", side(image) || "–"],
    ["severity", image.severity === null ? "–" : count(image.severity)],
    ["cosine of both points", number(image.consistency, 4)],
    ["nearest training image", number(image.nearest_image, 4)],
  ];
  return facts("Its image", pairs);
}

/** A window over the page; Escape, its button and a press beside it close. */
function makeDialog(): HTMLDialogElement {
  const dialog = h("dialog", { class: "enlarged" });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}

function enlarge(
  data: ReportData,
  image: ImageExample,
  dialog: HTMLDialogElement,
): void {
  const close = h("button", { type: "button" }, "Close");
  close.addEventListener("click", () => dialog.close());
  const i = data.outliers.index.indexOf(image.outlier);
  dialog.setAttribute("aria-label", `${title(image)}, enlarged`);
  dialog.replaceChildren(
    h(
      "div",
      { class: "enlarged-inner" },
      h(
        "div",
        { class: "pictures" },
        ...pair(data, image).filter((child) => child !== null),
      ),
      h(
        "div",
        { class: "enlarged-facts" },
        imageFacts(data, image),
        i >= 0 ? outlierFacts(data, i) : null,
      ),
      close,
    ),
  );
  dialog.showModal();
  dialog.scrollTop = 0;
}

function imageFigure(
  data: ReportData,
  image: ImageExample,
  dialog: HTMLDialogElement,
  id: string | null,
): HTMLElement {
  const button = h(
    "button",
    { type: "button", class: "pictures", "aria-haspopup": "dialog" },
    ...pair(data, image),
  );
  button.addEventListener("click", () => enlarge(data, image, dialog));
  return h(
    "figure",
    {
      class: image.outside === false ? "picture inside" : "picture",
      id,
    },
    button,
    caption(image),
  );
}

function lead(data: ReportData): HTMLElement {
  const hasSources = data.images.some((image) => image.source_png !== null);
  const shown = data.images.length;
  return h(
    "p",
    { class: "hint" },
    (hasSources ? "Left the source, right the outlier. " : "") +
      (shown < data.images_total
        ? `Shown are ${count(shown)} of ${count(data.images_total)} decoded ` +
          "images: of each class as many, evenly spaced from its lowest to " +
          "its highest energy. "
        : `Shown are all ${counted(shown, "decoded image")}. `) +
      "Energy and decoded: of the outlier, and of its image as the encoder " +
      "sees it; outside means at or above the threshold of the class. An " +
      "image that lies inside is struck out: it is no outlier. " +
      "Nearest: distance to the nearest training image (root mean square of " +
      "pixels from 0 to 1; 0 would be a copy). Press a pair to enlarge it.",
  );
}

/** The images, or nothing. */
export function imageExamples(data: ReportData): Child[] {
  if (data.images.length === 0) return [];
  const dialog = makeDialog();
  const groups = data.classes.flatMap((cls, c) => {
    const own = data.images.filter((image) => image.class === c);
    if (own.length === 0) return [];
    return [
      h(
        "h4",
        {},
        foreign(cls.name),
        h("span", { class: "hint" }, ` threshold ${number(cls.threshold)}`),
      ),
      h(
        "div",
        { class: "grid" },
        ...own.map((image) =>
          imageFigure(data, image, dialog, `outlier-${image.outlier}`),
        ),
      ),
    ];
  });
  if (data.images.length <= MOST_FIRST) {
    return [lead(data), ...groups, dialog];
  }
  // Of different classes, and outliers where there are any.
  const outside = data.images.filter((image) => image.outside !== false);
  const from = outside.length > 0 ? outside : data.images;
  const first = Array.from(
    { length: Math.min(MOST_FIRST, from.length) },
    (_, k, n = Math.min(MOST_FIRST, from.length)) =>
      from[Math.floor(((k + 0.5) * from.length) / n)],
  ).flatMap((image) => image ?? []);
  return [
    h(
      "div",
      { class: "grid" },
      ...first.map((image) => imageFigure(data, image, dialog, null)),
    ),
    lead(data),
    details(
      `All ${counted(data.images.length, "image")}, class by class`,
      ...groups,
    ),
    dialog,
  ];
}

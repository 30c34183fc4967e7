// SPDX-License-Identifier: Apache-2.0
// Elements from code. Text only ever becomes a text node, so whatever a class
// or a file is called, it is shown and not run.

export type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | null>;

const SVG = "http://www.w3.org/2000/svg";

function fill<E extends Element>(
  element: E,
  attributes: Attributes,
  children: Child[],
): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** An HTML element. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Text of others, kept from turning the text around it. */
export function foreign(text: string): HTMLElement {
  return h("bdi", {}, ...sentence(text));
}

/** A sentence in which no option, such as "--radius", and no time, such as
 *  "2024-01-02T06:00", is broken in two. */
export function sentence(text: string): Child[] {
  return text
    .split(/(--[a-z-]+|\d{4}-\d\d-\d\d(?:[T ][\d:.]+)?)/)
    .map((part, i) =>
      i % 2 === 1 ? h("span", { class: "option" }, part) : part,
    );
}

/** A section of the page with its heading and an introduction. */
export function section(
  id: string,
  title: string,
  lead: Child[],
  ...children: Child[]
): HTMLElement {
  const heading = h("h2", { id: `${id}-title` }, title);
  return h(
    "section",
    { id, "aria-labelledby": heading.id },
    heading,
    lead.length > 0 ? h("p", { class: "lead" }, ...lead) : null,
    ...children,
  );
}

/** A column of a table: its heading, and whether it holds numbers. */
export interface Column {
  title: string;
  isNumber?: boolean;
}

/** A table that scrolls by itself where the page is narrow; of the style
 *  "scroll stack" it puts the cells of a row below each other there. */
export function table(
  caption: string,
  columns: Column[],
  rows: Child[][],
  style = "scroll",
): HTMLElement {
  const kind = (i: number) => (columns[i]?.isNumber ? "number" : null);
  const head = columns.map((column, i) =>
    h("th", { scope: "col", class: kind(i) }, column.title),
  );
  const body = rows.map((row) =>
    h(
      "tr",
      {},
      ...row.map((cell, i) =>
        i === 0
          ? h("th", { scope: "row", class: kind(i) }, cell)
          : h("td", { class: kind(i) }, cell),
      ),
    ),
  );
  return h(
    "div",
    { class: style, tabindex: 0, role: "group", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", {}, caption),
      h("thead", {}, h("tr", {}, ...head)),
      h("tbody", {}, ...body),
    ),
  );
}

/** Hidden until asked for. */
export function details(summary: string, ...children: Child[]): HTMLElement {
  return h("details", {}, h("summary", {}, summary), ...children);
}

/** One of several buttons of which exactly one is pressed. */
export function choice<T extends string>(
  label: string,
  entries: [T, string][],
  value: T,
  onChange: (value: T) => void,
): HTMLElement {
  const buttons = entries.map(([key, words]) => {
    const button = h(
      "button",
      { type: "button", "aria-pressed": String(key === value) },
      words,
    );
    button.addEventListener("click", () => {
      for (const other of buttons) other.setAttribute("aria-pressed", "false");
      button.setAttribute("aria-pressed", "true");
      onChange(key);
    });
    return button;
  });
  return h(
    "div",
    { class: "choice", role: "group", "aria-label": label },
    ...buttons,
  );
}

/** A menu with its label; values are positions. */
export function menu(
  label: string,
  entries: [number, string][],
  onChange: (value: number) => void,
): HTMLElement {
  const select = h(
    "select",
    {},
    ...entries.map(([value, words]) => h("option", { value }, words)),
  );
  select.addEventListener("change", () => onChange(Number(select.value)));
  return h("label", { class: "menu" }, h("span", {}, label), select);
}

/** A menu of all classes (-1) and each one. */
export function classMenu(
  names: string[],
  onChange: (cls: number) => void,
): HTMLElement {
  const entries = names.map((name, i): [number, string] => [i, name]);
  return menu("Class", [[-1, "all classes"], ...entries], onChange);
}

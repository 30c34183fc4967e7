// SPDX-License-Identifier: Apache-2.0
// UMAP of a sample, in short pieces so that the page stays responsive. Exact
// neighbours, a start from the principal coordinates and a seeded stream make
// it the same picture every time.
import { UMAP } from "umap-js";
import type { Features } from "./data";

const NEIGHBOURS = 15;
const SLICE_MS = 16;
const START_SPREAD = 10;
/** Fewer points have no neighbourhoods worth a map. */
export const LEAST_POINTS = 3 * NEIGHBOURS;

/** Small seeded generator of numbers in [0, 1) (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4294967296;
  };
}

/** Lets the page answer before the work goes on. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Calls `work(i)` for i in [0, count), pausing between slices of time. */
async function inSlices(
  count: number,
  work: (i: number) => void,
  onSlice: (done: number) => void,
): Promise<void> {
  let end = performance.now() + SLICE_MS;
  for (let i = 0; i < count; ++i) {
    work(i);
    if (performance.now() < end) continue;
    onSlice((i + 1) / count);
    await pause();
    end = performance.now() + SLICE_MS;
  }
}

function rowsOf({ dimension, values }: Features): number[][] {
  return Array.from({ length: values.length / dimension }, (_, i) =>
    values.slice(i * dimension, (i + 1) * dimension),
  );
}

function squaredDistance(a: number[], b: number[]): number {
  let sum = 0;
  for (let d = 0; d < a.length; ++d) {
    const step = (a[d] ?? 0) - (b[d] ?? 0);
    sum += step * step;
  }
  return sum;
}

/** The nearest rows of row i, itself first, ties by smallest index. */
function nearest(rows: number[][], i: number): [number[], number[]] {
  const self = rows[i] ?? [];
  const found = [i];
  const squares = [0];
  rows.forEach((row, k) => {
    if (k === i) return;
    const square = squaredDistance(row, self);
    const isFull = found.length === NEIGHBOURS;
    if (isFull && square >= (squares.at(-1) ?? 0)) return;
    let at = found.length;
    while (at > 1 && (squares[at - 1] ?? 0) > square) at -= 1;
    found.splice(at, 0, k);
    squares.splice(at, 0, square);
    if (isFull) {
      found.pop();
      squares.pop();
    }
  });
  return [found, squares.map(Math.sqrt)];
}

/** Places the rows in the plane; `onProgress` gets the share that is done. */
export async function computeUmap(
  features: Features,
  onProgress: (share: number) => void,
): Promise<number[][]> {
  const rows = rowsOf(features);
  const indices: number[][] = [];
  const distances: number[][] = [];
  await inSlices(
    rows.length,
    (i) => {
      [indices[i], distances[i]] = nearest(rows, i);
    },
    (done) => onProgress(0.2 * done),
  );
  const random = seededRandom(1);
  const umap = new UMAP({
    nComponents: 2,
    nNeighbors: NEIGHBOURS,
    minDist: 0.1,
    random,
  });
  umap.setPrecomputedKNN(indices, distances);
  await pause();
  const epochs = umap.initializeFit(rows);
  const places = umap.getEmbedding();
  const first = rows.flatMap((row) => row.slice(0, 2)).map(Math.abs);
  const scale = START_SPREAD / Math.max(1e-12, ...first);
  // A little noise takes equal points apart.
  places.forEach((place, i) => {
    place[0] = (rows[i]?.[0] ?? 0) * scale + 1e-3 * random();
    place[1] = (rows[i]?.[1] ?? 0) * scale + 1e-3 * random();
  });
  await inSlices(
    epochs,
    () => umap.step(),
    (done) => onProgress(0.2 + 0.8 * done),
  );
  return umap.getEmbedding();
}

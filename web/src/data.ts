// SPDX-License-Identifier: Apache-2.0
// The contract of the page: the one JSON object that `sbog report` writes into
// it. Names are spelled as in the files of a run folder; tables of points are
// columns of equal length. Numbers are finite; what is unknown is null.

/** How much of each the page takes; more is sampled by the writer. */
export const LIMITS = {
  bank: 5000,
  anchors: 1000,
  outliers: 1000,
  features: 2000,
  featureDimension: 16,
  windows: 12,
  images: 60,
  listed: 60,
} as const;

/** The facts of manifest.json that concern the whole run. */
export interface RunFacts {
  /** The folder as it was named on the command line. */
  name: string;
  kind: "latent" | "series" | "image";
  /** The data as named on the command line. */
  input: string;
  input_checksum: string;
  /** Checksum of configuration and inputs. */
  run: string;
  rule: string;
  /** As text when it is too large for a number. */
  seed: number | string;
  version: string;
  state: "complete" | "partial";
  bank_rows: number;
  dimension: number;
  requested: number;
  produced: number;
  /** Share of its class whose energy an outlier exceeds; runs of before do not
   *  say. */
  level: number | null;
  /** Distance to the bank in units of that of a held-out row. */
  distance_ratio: number | null;
  /** Below this, outliers are no farther out than unseen data. */
  least_distance_ratio: number;
}

/** A class of manifest.json, without its list of anchors. */
export interface ClassFacts {
  /** What people call the class, any text; "class 0" when it has no name. */
  name: string;
  points: number;
  reference: number;
  requested: number;
  produced: number;
  /** Decoded images of them that lie inside again: no outliers. */
  inside: number;
  threshold: number;
  /** Temperature, and shortest and longest step, in force. */
  epsilon: number | null;
  radius: [number, number] | null;
  /** "energy", "semantic", "seed", "projection", "boundary" or "none". */
  binding: string;
  proposals: number;
  /** Proposals that each test turned down; one may fail several. */
  failing_energy: number;
  failing_semantic: number;
  failing_seed: number;
  /** Anchors in all, those that were tried, and those with an outlier. */
  anchors: number;
  anchors_tried: number;
  anchors_hit: number;
  /** Share of draws that gave an outlier, with its 95 % interval. */
  acceptance: number | null;
  acceptance_interval: [number, number] | null;
  /** From metrics.json. */
  purity: number | null;
}

/** Points with a place on the map: `x`, `y` are the first two principal
 *  coordinates; `class` is a position in `classes`. Where there is no bank, as
 *  for a series without an encoder, outliers have null for energy, x and y. */
export interface Points {
  /** How many there are; the columns hold those that are shown. */
  total: number;
  class: number[];
  energy: number[];
  x: number[];
  y: number[];
}

/** Points of the bank. */
export interface BankPoints extends Points {
  row: number[];
}

/** Anchors; those of the shown outliers come first. */
export interface AnchorPoints extends Points {
  /** Row of the bank. */
  row: number[];
  draws: number[];
  successes: number[];
}

/** Outliers with their provenance, as in outliers.csv. */
export interface OutlierPoints extends Points {
  index: number[];
  /** Position in `anchors`, or -1. */
  anchor: number[];
  origin: string[];
  /** Null where a run has no rounds. */
  round: (number | null)[];
  proposal: (number | null)[];
  /** Proposals of that round that passed every test. */
  feasible: (number | null)[];
  margin: number[];
  /** Null without classes. */
  class_cosine: (number | null)[];
  anchor_cosine: (number | null)[];
  /** Cost to the nearest point of the bank. */
  nearest: (number | null)[];
  p_value: (number | null)[];
  certified: (boolean | null)[];
  /** What was done, in a sentence. */
  words: (string | null)[];
  /** Positions in `items`, nearest first; empty when nobody named the rows. */
  neighbours: number[][];
}

/** What a row of the bank stands for. */
export interface BankItem {
  row: number;
  class: number;
  /** Any text. */
  text: string;
  /** Base64 of a PNG file, or null. */
  png: string | null;
}

/** Input of UMAP: the leading principal coordinates of some shown points. */
export interface Features {
  dimension: number;
  /** Positions in the three tables above. */
  bank: number[];
  anchors: number[];
  outliers: number[];
  /** Row by row: those of the bank, then the anchors, then the outliers. */
  values: number[];
}

export interface MapFacts {
  /** Share of the variance that the two axes carry, each in [0, 1]. */
  explained: [number, number];
  /** Null when there are too few points. */
  features: Features | null;
}

/** An entry of metrics.json. */
export interface MetricEntry {
  name: string;
  value: number | null;
  direction: string;
  meaning: string;
  /** Why there is no value. */
  reason?: string;
}

/** What the page reads of certificate.json; all of it may be passed on. */
export interface Certificate {
  certified: boolean;
  caveat: string;
  delta: number;
  sentences: string[];
  growth: { factor: number; certified_share: number }[];
  totals: {
    outliers: number;
    accepted: number;
    certified_accept: number;
    certified_reject: number;
    undecided: number;
  };
  /** In the order of `classes`. */
  classes: {
    reference: number;
    calibration: number;
    outliers: number;
    /** Null when it is infinite: too few calibration points. */
    threshold: number | null;
    ceiling: number | null;
    smallest_epsilon: number | null;
  }[];
  calculators: {
    required_n: {
      margin: number;
      hoeffding_paper: number | null;
      two_sided_relative: number | null;
      one_sided_kl: number | null;
    };
    knn_theorem: { vacuous: boolean; reason: string } | null;
    uniform_bound: { vacuous: boolean; reason: string } | null;
  };
}

/** An edited channel of a window, in raw units. */
export interface EditedChannel {
  name: string;
  source: number[];
  edited: number[];
  /** Where it was edited: pairs [first, end) in samples. */
  spans: [number, number][];
  /** Range of the channel in training. */
  low: number;
  high: number;
}

/** A decoded window beside the recorded one. */
export interface WindowExample {
  /** Index of the outlier. */
  outlier: number;
  class: number;
  /** What was changed, then further remarks. */
  sentences: string[];
  first_row: number;
  /** Times of the first and the last sample, or null. */
  times: [string, string] | null;
  /** The edited channels, most important first. */
  channels: EditedChannel[];
  /** Channels in all. */
  channel_count: number;
}

/** A decoded image, base64 of a PNG file, and what was measured on it. */
export interface ImageExample {
  outlier: number;
  class: number;
  png: string;
  /** The image it was made from, or null. */
  source_png: string | null;
  /** Of the outlier's point, against its whole class. */
  energy: number | null;
  /** The same of the point of the decoded image. */
  decoded_energy: number | null;
  /** Cosine of the two points. */
  consistency: number | null;
  /** Distance to the nearest training image, root mean square of pixels. */
  nearest_image: number | null;
  /** Whether it lies outside of its class after decoding; one that does not is
   *  no outlier. */
  outside: boolean | null;
  /** Decade of the image's rarity. */
  severity: number | null;
}

/** A count of some, with its interval at 95 %. */
export interface Share {
  count: number;
  of: number;
  share: number;
  low: number;
  high: number;
}

/** Cases of a stress test that are alike: the level of a grouping, such as the
 *  "stuck" of "kind"; all cases where the grouping is empty. */
export interface StressGroup {
  grouping: string;
  level: string;
  /** Null: of all severities. */
  severity: number | null;
  failures: Share;
}

/** A case that fails clearly. */
export interface ClearCase {
  /** Index of the outlier. */
  outlier: number;
  words: string;
}

/** A group that fails too often, with its clearest cases. */
export interface WeakSpot extends StressGroup {
  clearest: ClearCase[];
}

/** What is required of a model, and what came of it. */
export interface Gate {
  text: string;
  passed: boolean;
  value: number | null;
}

/** What stress.json says about a model. */
export interface StressFacts {
  /** Any text. */
  model: string;
  /** "classifier", "detector" or "loss". */
  task: string;
  /** What a failure is: "missed", "accepted", "above the limit". */
  failure: string;
  /** What the controls are. */
  controls: string;
  control_failures: Share;
  overall: Share;
  auroc: number | null;
  /** Share of failures that is tolerated in a group. */
  tolerance: number;
  /** Groups of enough cases to be ranked. */
  ranked_groups: number;
  severities: StressGroup[];
  groups: StressGroup[];
  weak_spots: WeakSpot[];
  gates: Gate[];
  /** Remarks, a sentence each. */
  notes: string[];
}

/** See the top of the file. */
export interface ReportData {
  format: 1;
  run: RunFacts;
  classes: ClassFacts[];
  bank: BankPoints;
  anchors: AnchorPoints;
  outliers: OutlierPoints;
  map: MapFacts;
  /** Null when there are none; then the note says why. */
  metrics: MetricEntry[] | null;
  metrics_note: string;
  /** Null when there is none; then the note says why. */
  certificate: Certificate | null;
  certificate_note: string;
  /** Null when no model was asked about the outliers. */
  stress: StressFacts | null;
  /** Bank rows that are nearest to the shown outliers. */
  items: BankItem[];
  /** Positions of the outliers that are listed with their items. */
  listed: number[];
  windows: WindowExample[];
  /** By class, then by energy. */
  images: ImageExample[];
  /** Decoded in all. */
  images_total: number;
  /** Of these, how many lie outside of their class; null where not known. */
  images_outside: number | null;
  /** Remarks on the run, a sentence each. */
  notes: string[];
  /** Text of config.toml. */
  config: string;
  /** The exact command that makes the run again. */
  command: string;
}

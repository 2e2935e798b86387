/** The part that runs on WebGPU: every collective that needs no network, or only two. */
export type PageScope = 'few' | 'all';

/** The result of a backend in a page. */
export interface BackendOutcome {
  /** The collectives and transfers that ran. */
  readonly ran: readonly string[];
  /** The problems as sentences. */
  readonly problems: readonly string[];
  readonly ms: number;
}

/** The results of a page. */
export interface PageOutcome {
  readonly sim: BackendOutcome;
  readonly webgpu: BackendOutcome;
}

/** @throws Error if the page could not run, with the page's message */
export function parseOutcome(text: string): PageOutcome {
  const value: unknown = JSON.parse(text);
  if (!isOutcome(value)) throw new Error(`the page failed: ${text}`);
  return value;
}

function isOutcome(value: unknown): value is PageOutcome {
  return typeof value === 'object' && value !== null && 'sim' in value && 'webgpu' in value;
}

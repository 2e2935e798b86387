import type { SteppedView } from './share.ts';

/** The tabs of the results. */
export type Tab = 'findings' | 'memory' | 'timeline' | 'executions' | 'relax' | 'log' | 'emitted';

/** The text of a tab without contents. */
export const empty: Readonly<Record<Tab, string>> = {
  findings: 'Check shows races, deadlocks and misuse here, or states what it proves.',
  memory: 'Run shows the memory of all ranks here.',
  timeline: 'Run draws a timeline of all ranks here, in simulated time.',
  executions:
    'The memory model may allow a small program more than one execution. This view shows which write each read returned, and which others it could have returned.',
  relax:
    'A barrier, a fence or an order may cost time and protect nothing. This view checks the program without each of them, in several inputs: more ranks, more launches, rewritten windows, and larger sizes if host(comm, { scale }) has them.',
  log: 'Check writes its report here, in the form that the command line prints.',
  emitted: '',
};

/** The tabs with their names, in order. An embed has fewer. */
export function tabNames(findings: number, isEmbed: boolean): readonly (readonly [Tab, string])[] {
  const all: readonly (readonly [tab: Tab, name: string, isEmbedded: boolean])[] = [
    ['findings', findings === 0 ? 'Findings' : `Findings (${findings})`, true],
    ['memory', 'Memory', true],
    ['timeline', 'Timeline', true],
    ['executions', 'Executions', false],
    ['relax', 'Relax', false],
    ['log', 'Report', true],
    ['emitted', 'Emitted code', false],
  ];
  return all.filter(([, , isEmbedded]) => isEmbedded || !isEmbed).map(([tab, name]) => [tab, name]);
}

/** The number of steps of a view. */
export function stepsText(view: SteppedView, count: number): string {
  const [one, of] = view === 'history' ? ['turn', 'of one schedule'] : ['execution', 'that the memory model allows'];
  return `${count} ${one}${count === 1 ? '' : 's'} ${of}.`;
}

export function time(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/**
 * Records on the page when a part of it was ready, in ms. The site's own measurements read this.
 */
export function stamp(part: 'ready' | 'editor' | 'worker'): void {
  document.documentElement.dataset[part] = String(Math.round(performance.now()));
}

/**
 * Returns false for a reader who saves data or whose device has little memory. The page then does
 * not load TypeScript on its own.
 */
export function wantsTypes(): boolean {
  const connection: unknown = 'connection' in navigator ? navigator.connection : undefined;
  const savesData =
    typeof connection === 'object' && connection !== null && 'saveData' in connection && connection.saveData === true;
  const isSmall = 'deviceMemory' in navigator && Number(navigator.deviceMemory) < 4;
  return !savesData && !isSmall;
}

import type { FindingJson, Fix } from '@nccl-ts/findings';
import { type Client, Stopped, WorkerProblem } from '../client.ts';
import type { CheckResult, Machine, Problem, RunResult } from '../protocol.ts';
import { button, h } from './dom.ts';
import { EmittedView } from './emitted.ts';
import { ProgramEditor } from './program-editor.ts';
import type { SteppedView } from './share.ts';
import { findingCards, marksOf, memoryTable, outermost, returnedValues, sentence, timelineView } from './results.ts';

/** The name of the program in reports. */
const FILE = 'kernel.ts';
/** The pause after typing before an analysis starts, in ms. */
const PAUSE = 300;
/** A module whose top level does not end is stopped after this time, in ms. */
const ENDLESS = 5000;
/**
 * The delay of the spare worker after the first one, in ms, so that it does not slow the first run
 * down.
 */
const WARM = 2000;

export interface PlaygroundOptions {
  readonly root: HTMLElement;
  readonly client: Client;
  readonly text: string;
  readonly machine: Machine;
  /** True for an embed, which has no tabs of emitted code. */
  readonly isEmbed: boolean;
  /** False if the reader is to find the fix. @default true */
  readonly hasFixes?: boolean;
}

type Tab = 'findings' | 'memory' | 'timeline' | 'executions' | 'log' | 'emitted';

/** The editor of a program, together with its results. */
export class Playground {
  readonly #client: Client;
  readonly editor: ProgramEditor;
  machine: Machine;
  readonly run = button('Run', () => void this.runNow(), { class: 'primary', title: 'Ctrl+Enter' });
  readonly check = button('Check', () => void this.checkNow(), { title: 'Ctrl+Shift+Enter' });
  readonly stop = button('Stop', () => this.stopNow(), { disabled: '' });
  readonly #verdict = h(
    'p',
    { class: 'verdict', role: 'status', 'data-state': 'none' },
    'Run the program, or check it.',
  );
  readonly #phase = h('p', { class: 'phase', 'aria-live': 'off' });
  readonly #tabs = h('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Results' });
  readonly #panel = h('div', { class: 'panel', role: 'tabpanel', tabindex: '0' });
  readonly #contents = new Map<Tab, HTMLElement>();
  readonly codePane = h('div', { class: 'pane code-pane' });
  readonly resultPane = h('div', { class: 'pane result-pane' });
  readonly #isEmbed: boolean;
  readonly #hasFixes: boolean;
  #shown: Tab = 'findings';
  #busy = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The text of the last analysis. */
  #analysed: string | undefined;
  #findings: readonly FindingJson[] = [];
  #last: 'run' | 'check' | undefined;
  /** The fingerprint of the shown finding. */
  finding: string | undefined;
  replay: string | undefined;
  readonly #emitted: EmittedView;
  /** The last opened view with steps, and its step. */
  stepped: { readonly view: SteppedView; readonly step: number } | undefined;
  onResult: () => void = () => {};
  /** Called before the editor goes to a line: on a phone it stands behind the results. */
  onCode: () => void = () => {};
  /** Called with the result of a run. */
  onRan: (result: RunResult) => void = () => {};
  /** Called with the verdict of each completed check. */
  onChecked: (verdict: string) => void = () => {};

  constructor({ root, client, text, machine, isEmbed, hasFixes = true }: PlaygroundOptions) {
    this.#client = client;
    this.machine = machine;
    this.#isEmbed = isEmbed;
    this.#hasFixes = hasFixes;
    this.editor = new ProgramEditor({
      parent: this.codePane,
      text,
      label: 'The program',
      hasTypes: wantsTypes(),
      onChange: () => this.#changed(),
      onLine: (line) => this.#at(line),
    });
    this.#emitted = new EmittedView(this.editor, async (target) =>
      client.request({ kind: 'emit', text: this.text, target, ranks: this.machine.ranks }),
    );
    this.resultPane.append(this.#verdict, this.#phase, this.#tabs, this.#panel);
    root.append(this.codePane, this.resultPane);
    root.addEventListener('keydown', (event) => this.#onKey(event));
    this.#select('findings');
    // The program is known and the worker is starting. A request waits for the worker.
    stamp('ready');
    void this.editor.loaded.then(() => stamp('editor'));
    void this.#begin(client);
  }

  async #begin(client: Client): Promise<void> {
    await client.ready;
    stamp('worker');
    void this.#analyse();
    setTimeout(() => client.warm(), WARM);
  }

  get last(): 'run' | 'check' | undefined {
    return this.#last;
  }

  set text(text: string) {
    this.editor.text = text;
    this.#clear();
  }

  get text(): string {
    return this.editor.text;
  }

  async runNow(): Promise<void> {
    await this.#during('running', async () => {
      const { text, machine } = this;
      const width = Math.max(340, Math.min(900, this.#panel.clientWidth - 24));
      const result = await this.#client.request({ kind: 'run', text, machine, width });
      this.#last = 'run';
      this.#showRun(result);
      this.onRan(result);
    });
  }

  async checkNow(replay?: string): Promise<void> {
    this.replay = replay;
    await this.#during('checking', async () => {
      const { text, machine } = this;
      const schedule = replay === undefined ? {} : { replay };
      const result = await this.#client.request(
        { kind: 'check', text, machine, ...schedule },
        {
          onPhase: (phase) => {
            this.#phase.textContent = phase;
          },
          onFinding: (message) => this.#say('busy', `Found: ${message}. The check continues.`),
        },
      );
      this.#last = 'check';
      this.#showCheck(result);
      this.onChecked(result.report.verdict);
    });
  }

  /** Shows a step of one of the views: the memory of all ranks over turns, or the executions. */
  async showSteps(view: SteppedView, step = 0): Promise<void> {
    const { text, machine } = this;
    await this.#during('stepping', async () => {
      const actions = {
        onLine: (line: number) => this.#goTo(line),
        onStep: (now: number, lines: readonly number[]) => {
          this.stepped = { view, step: now };
          this.editor.mark(lines.map((line) => ({ line, column: 1, endColumn: 1, label: '', kind: 'shown' })));
        },
      };
      const made =
        view === 'history'
          ? (await import('./history.ts')).historyView(
              await this.#client.request({ kind: view, text, machine }),
              machine.ranks,
              actions,
            )
          : (await import('./executions.ts')).executionsView(
              await this.#client.request({ kind: view, text, machine }),
              actions,
            );
      const tab = view === 'history' ? 'memory' : 'executions';
      this.#contents.set(tab, made.root);
      this.#select(tab);
      made.go(step);
      const what = view === 'history' ? 'turns of one schedule' : 'executions that the memory model allows';
      this.#say('none', `${made.count} ${what}.`);
    });
  }

  stopNow(): void {
    this.#client.stop();
  }

  /** Marks the lines of a finding, and remembers the finding for links. */
  show(finding: FindingJson, isFocused = false): void {
    this.finding = finding.fingerprint;
    const marks = marksOf(finding, FILE);
    this.editor.mark(marks);
    const [first] = marks;
    if (first !== undefined) this.editor.goTo(first.line, isFocused);
    this.onResult();
  }

  /** Shows the finding from a link, after the check. */
  showFingerprint(fingerprint: string): void {
    const found = this.#findings.find((one) => one.fingerprint === fingerprint);
    if (found !== undefined) this.show(found);
  }

  async #during(what: string, act: () => Promise<void>): Promise<void> {
    if (this.#busy) return;
    this.#setBusy(true);
    this.#say('busy', `${sentence(what).slice(0, -1)} …`);
    this.stepped = undefined;
    this.resultPane.dataset['stale'] = 'false';
    try {
      await act();
      this.onResult();
    } catch (error) {
      if (error instanceof Stopped) this.#say('none', 'Stopped.');
      else this.#showProblem(error);
    } finally {
      this.#phase.textContent = '';
      this.#setBusy(false);
      if (this.#analysed !== this.text) void this.#analyse();
    }
  }

  #showRun(result: RunResult): void {
    this.#say(
      'good',
      `It ran in ${time(result.milliseconds)}${result.ranOn === undefined ? '' : ` on ${result.ranOn}`}. ` +
        'A run looks at one schedule; Check looks at all that it can.',
    );
    this.editor.mark([]);
    this.#findings = [];
    this.finding = undefined;
    this.#contents.set(
      'memory',
      h(
        'div',
        {},
        returnedValues(result),
        button('Show memory over time', () => void this.showSteps('history'), { class: 'over-time' }),
        memoryTable(result.memory),
      ),
    );
    this.#contents.set(
      'timeline',
      timelineView(result, (line) => this.#goTo(line), FILE),
    );
    this.#contents.delete('findings');
    this.#select('memory');
  }

  #showCheck(result: CheckResult): void {
    const { report } = result;
    this.#findings = report.findings;
    const isClean = report.verdict === 'clean';
    this.#say(
      isClean ? 'good' : 'bad',
      `${sentence(result.verdict)} It took ${time(result.milliseconds)}.`,
      report.verdict,
    );
    const cards = findingCards(result, FILE, {
      onLine: (line) => this.#goTo(line),
      ...(this.#hasFixes ? { onFix: (fixes) => void this.#apply(fixes) } : {}),
      onShow: (finding) => this.show(finding, true),
      onReplay: (choices) => void this.checkNow(choices),
    });
    this.#contents.set('findings', cards);
    this.#contents.set('log', h('pre', { class: 'report', tabindex: '0' }, result.text));
    this.#select('findings');
    const [first] = report.findings;
    if (first === undefined) {
      this.editor.mark([]);
      this.finding = undefined;
    } else this.show(first);
  }

  #showProblem(error: unknown): void {
    const problem: Problem = error instanceof WorkerProblem ? error.problem : { message: String(error) };
    const first = problem.message.split('\n')[0] ?? '';
    this.#say('bad', `${problem.code === undefined ? '' : `${problem.code}: `}${first}`, problem.code);
    this.#contents.set('log', h('pre', { class: 'report', tabindex: '0' }, problem.message));
    const { line } = problem;
    this.editor.mark(line === undefined ? [] : [{ line, column: 1, endColumn: 1, label: '', kind: 'first' }]);
    if (line !== undefined) this.editor.goTo(line, false);
    this.#select('log');
  }

  async #apply(fixes: readonly Fix[]): Promise<void> {
    for (const { edits } of fixes) await this.editor.replace(edits);
    await this.checkNow();
  }

  #goTo(line: number): void {
    this.onCode();
    this.editor.goTo(line);
  }

  /** The cursor is on a line: its bars of the timeline, and its emitted lines, are shown. */
  #at(line: number): void {
    for (const bar of this.#panel.querySelectorAll('.timeline [data-line]')) {
      bar.classList.toggle('at-line', bar.getAttribute('data-line') === String(line));
    }
    if (this.#shown === 'emitted') this.#emitted.mark(line);
  }

  #changed(): void {
    if (this.#last !== undefined || this.stepped !== undefined) {
      this.resultPane.dataset['stale'] = 'true';
    }
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#analyse(), PAUSE);
  }

  async #analyse(): Promise<void> {
    if (this.#busy) return;
    const { text } = this;
    this.#analysed = text;
    const endless = setTimeout(() => this.#client.stop(), ENDLESS);
    try {
      const { diagnostics, problem } = await this.#client.request({ kind: 'analyse', text });
      if (text !== this.text) return;
      const problems = diagnostics.flatMap(({ code, message, labels, hint }) => {
        const location = labels[0]?.place;
        if (location === undefined) return [];
        const { line, column, endColumn } = outermost(location);
        return [{ line, column, endColumn, text: `${code} ${message}${hint === undefined ? '' : `\nhint: ${hint}`}` }];
      });
      const lines =
        problem?.line === undefined ? [] : [{ line: problem.line, column: 1, endColumn: 200, text: problem.message }];
      void this.editor.showProblems([...problems, ...lines]);
      if (this.#shown === 'emitted' && problems.length + lines.length === 0) await this.#emitted.draw(this.#panel);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
    } finally {
      clearTimeout(endless);
    }
  }

  #clear(): void {
    this.#last = undefined;
    this.#findings = [];
    this.finding = undefined;
    this.replay = undefined;
    this.stepped = undefined;
    this.editor.mark([]);
    this.#contents.clear();
    this.#say('none', 'Run the program, or check it.');
    this.resultPane.dataset['stale'] = 'false';
    this.#select('findings');
  }

  #setBusy(busy: boolean): void {
    this.#busy = busy;
    this.run.disabled = busy;
    this.check.disabled = busy;
    this.stop.disabled = !busy;
  }

  #say(state: string, text: string, verdict = ''): void {
    this.#verdict.textContent = text;
    this.#verdict.dataset['state'] = state;
    this.#verdict.dataset['verdict'] = verdict;
  }

  #select(tab: Tab): void {
    this.#shown = tab;
    this.#drawTabs();
    this.#panel.dataset['live'] = String(tab === 'emitted');
    if (tab !== 'emitted') this.#emitted.close();
    if (tab === 'emitted') {
      void this.#emitted.draw(this.#panel);
      return;
    }
    if (tab === 'executions' && !this.#contents.has(tab)) {
      this.#panel.replaceChildren(
        h('p', { class: 'quiet' }, empty.executions),
        button('Step through the executions', () => void this.showSteps('executions'), { id: 'go-through' }),
      );
      return;
    }
    const content = this.#contents.get(tab);
    this.#panel.replaceChildren(content ?? h('p', { class: 'quiet' }, empty[tab]));
  }

  #drawTabs(): void {
    const names: readonly (readonly [Tab, string])[] = [
      ['findings', this.#findings.length === 0 ? 'Findings' : `Findings (${this.#findings.length})`],
      ['memory', 'Memory'],
      ['timeline', 'Timeline'],
      ...(this.#isEmbed ? [] : ([['executions', 'Executions']] as const)),
      ['log', 'Report'],
      ...(this.#isEmbed ? [] : ([['emitted', 'Emitted code']] as const)),
    ];
    this.#tabs.replaceChildren(
      ...names.map(([tab, text]) =>
        button(text, () => this.#select(tab), {
          role: 'tab',
          'aria-selected': String(tab === this.#shown),
          'data-tab': tab,
          tabindex: tab === this.#shown ? '0' : '-1',
        }),
      ),
    );
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void (event.shiftKey ? this.checkNow() : this.runNow());
    }
    if (event.key === 'F8' && this.#findings.length > 0) {
      event.preventDefault();
      const at = this.#findings.findIndex(({ fingerprint }) => fingerprint === this.finding);
      const next = this.#findings.at((at + (event.shiftKey ? -1 : 1)) % this.#findings.length);
      if (next !== undefined) this.show(next);
    }
  }
}

const empty: Readonly<Record<Tab, string>> = {
  findings: 'Check shows races, deadlocks and misuse here, or states what it proves.',
  memory: 'Run shows the memory of all ranks here.',
  timeline: 'Run draws a timeline of all ranks here, in simulated time.',
  executions:
    'The memory model may allow a small program more than one execution. This view shows which write each read returned, and which others it could have returned.',
  log: 'Check writes its report here, in the form that the command line prints.',
  emitted: '',
};

function time(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

/**
 * Records on the page when a part of it was ready, in ms. The site's own measurements read this.
 */
function stamp(part: 'ready' | 'editor' | 'worker'): void {
  document.documentElement.dataset[part] = String(Math.round(performance.now()));
}

/**
 * Returns false for a reader who saves data or whose device has little memory. The page then does
 * not load TypeScript on its own.
 */
function wantsTypes(): boolean {
  const connection: unknown = 'connection' in navigator ? navigator.connection : undefined;
  const savesData =
    typeof connection === 'object' && connection !== null && 'saveData' in connection && connection.saveData === true;
  const isSmall = 'deviceMemory' in navigator && Number(navigator.deviceMemory) < 4;
  return !savesData && !isSmall;
}

import type { FindingJson, Fix } from '@nccl-ts/findings';
import { type Client, Stopped, WorkerProblem } from '../client.ts';
import type { CheckResult, Machine, Problem, RunResult } from '../protocol.ts';
import { button, h } from './dom.ts';
import { EmittedView } from './emitted.ts';
import { explanationLink, verdictUrl } from './explanations.ts';
import { problemsOf } from './program-problems.ts';
import { ProgramEditor } from './program-editor.ts';
import { ResultTabs } from './result-tabs.ts';
import { findingCards, inOrder, marksOf, memoryTable, returnedValues, sentence } from './results.ts';
import { empty, stamp, stepsText, tabNames, time, wantsTypes, type Tab } from './playground-texts.ts';
import type { SteppedView } from './share.ts';
import { steppedView } from './stepped-view.ts';
import { timelineView } from './timeline-view.ts';
import { verdictSentence } from './verdict-sentence.ts';

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

/** The editor of a program, together with its results. */
export class Playground {
  readonly #client: Client;
  readonly editor: ProgramEditor;
  #machine: Machine;
  readonly run = button('Run', () => void this.runNow(), { class: 'primary', title: 'Ctrl+Enter' });
  readonly check = button('Check', () => void this.checkNow(), { title: 'Ctrl+Shift+Enter' });
  readonly stop = button('Stop', () => this.stopNow(), { disabled: '' });
  readonly #verdict = h(
    'p',
    { class: 'verdict', role: 'status', 'data-state': 'none', tabindex: '-1' },
    'Run the program, or check it.',
  );
  readonly #phase = h('p', { class: 'phase', 'aria-live': 'off' });
  readonly #tabs = new ResultTabs<Tab>((tab) => this.#select(tab));
  readonly #panel = this.#tabs.panel;
  readonly #contents = new Map<Tab, HTMLElement>();
  readonly codePane = h('div', { class: 'pane code-pane' });
  readonly resultPane = h('div', { class: 'pane result-pane' });
  readonly #isEmbed: boolean;
  readonly #hasFixes: boolean;
  #busy = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The text of the last analysis. */
  #analysed: string | undefined;
  /** The program and the machine of the results that are shown. */
  #judged: string | undefined;
  /** True until the reader has seen a program that somebody else has sent. */
  #isHeldBack = false;
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
  /** Called with the verdict of each completed check, and the program that was checked. */
  onChecked: (verdict: string, text: string) => void = () => {};
  /** Called if a run or a check ends with an error, with its first line. */
  onFailed: (message: string) => void = () => {};
  /** Called when the program or the machine has changed. */
  onChange: () => void = () => {};

  constructor({ root, client, text, machine, isEmbed, hasFixes = true }: PlaygroundOptions) {
    this.#client = client;
    this.#machine = machine;
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
    this.resultPane.append(this.#verdict, this.#phase, this.#tabs.list, this.#panel);
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

  /** Replaces the program. One undo step brings the former one back. */
  set text(text: string) {
    this.editor.text = text;
    this.#clear();
  }

  get text(): string {
    return this.editor.text;
  }

  set machine(machine: Machine) {
    this.#machine = machine;
    this.#showAge();
    this.onChange();
  }

  get machine(): Machine {
    return this.#machine;
  }

  /**
   * Shows a program of a link without doing anything with it. `act` is what the sender did; the
   * reader may press its button.
   */
  holdBack(why: string, name: string, act: () => Promise<void>): void {
    this.#isHeldBack = true;
    this.#say('none', why);
    this.#panel.replaceChildren(button(name, () => void act(), { class: 'primary', id: 'as-sent' }));
  }

  /** Says something about the program that is shown. */
  tell(state: 'none' | 'bad', text: string): void {
    this.#say(state, text);
  }

  async runNow(): Promise<void> {
    await this.#during('running', async ({ text, machine }) => {
      const width = Math.max(340, Math.min(900, this.#panel.clientWidth - 24));
      const result = await this.#client.request({ kind: 'run', text, machine, width });
      this.#last = 'run';
      this.#showRun(result);
      this.onRan(result);
    });
  }

  async checkNow(replay?: string): Promise<void> {
    this.replay = replay;
    await this.#during('checking', async ({ text, machine }) => {
      const schedule = replay === undefined ? {} : { replay };
      const result = await this.#client.request(
        { kind: 'check', text, machine, ...schedule },
        {
          onPhase: (phase) => this.#showPhase(phase),
          onFinding: (message) => this.#say('busy', `Found: ${message}. The check continues.`),
        },
      );
      this.#last = 'check';
      this.#showCheck(result);
      this.onChecked(result.report.verdict, text);
    });
  }

  /** Shows a step of one of the views: the memory of all ranks over turns, or the executions. */
  async showSteps(view: SteppedView, step = 0): Promise<void> {
    await this.#during('stepping', async ({ text, machine }) => {
      const actions = {
        onLine: (line: number) => this.#goTo(line),
        onStep: (now: number, lines: readonly number[]) => {
          this.stepped = { view, step: now };
          this.editor.mark(lines.map((line) => ({ line, column: 1, endColumn: 1, label: '', kind: 'shown' })));
        },
      };
      const made = await steppedView(view, this.#client, { text, machine }, actions);
      const tab = view === 'history' ? 'memory' : 'executions';
      this.#contents.set(tab, made.root);
      this.#select(tab);
      made.go(step);
      this.#say('none', stepsText(view, made.count));
    });
  }

  /** Shows which synchronizations the program does not need. */
  async relaxNow(): Promise<void> {
    await this.#during('relaxing', async ({ text, machine }) => {
      const [result, { relaxSentence, relaxView, unneededLines }] = await Promise.all([
        this.#client.request({ kind: 'relax', text, machine }, { onPhase: (phase) => this.#showPhase(phase) }),
        import('./relax-view.ts'),
      ]);
      const onApply = (): void => void this.#apply([result]);
      this.#contents.set('relax', relaxView(result, { onLine: (line) => this.#goTo(line), onApply }));
      this.editor.mark(unneededLines(result));
      this.#select('relax');
      this.#say('good', relaxSentence(result));
    });
  }

  stopNow(): void {
    this.#client.stop();
  }

  /** Marks the lines of a finding, and remembers the finding for links. */
  show(finding: FindingJson, isFocused = false): void {
    this.finding = finding.fingerprint;
    // The lines of another text than the checked one may be others.
    const marks = this.#isStale ? [] : marksOf(finding, FILE);
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

  /**
   * Does something with the program and the machine as they are now. If either has changed at its
   * end, the result is marked as that of another text.
   */
  async #during(what: string, act: (given: Pick<Playground, 'text' | 'machine'>) => Promise<void>): Promise<void> {
    if (this.#busy) return;
    const { text, machine } = this;
    const isWriting = this.codePane.contains(document.activeElement);
    this.#isHeldBack = false;
    this.#setBusy(true);
    this.#say('busy', `${sentence(what).slice(0, -1)} …`);
    this.stepped = undefined;
    const judged = keyOf(text, machine);
    // No tab shows a result of another text beside those of this one.
    if (this.#judged !== judged) this.#contents.clear();
    this.#judged = judged;
    this.#showAge();
    try {
      await act({ text, machine });
      this.onResult();
    } catch (error) {
      if (error instanceof Stopped) this.#say('none', 'Stopped.');
      else this.#showProblem(error);
    } finally {
      this.#phase.textContent = '';
      this.#setBusy(false);
      this.#showAge();
      if (!isWriting) this.#focusVerdict();
      if (this.#analysed !== this.text) void this.#analyse();
    }
  }

  /** A button that is disabled, or gone with the last result, has lost the focus to the page. */
  #focusVerdict(): void {
    const { activeElement: focused } = document;
    const isOurs =
      focused === null ||
      focused === document.body ||
      [this.run, this.check, this.stop].includes(focused as HTMLButtonElement);
    if (!isOurs) return;
    // Under a long program of a document, the verdict would be out of sight.
    if (this.#isEmbed) this.#verdict.scrollIntoView({ block: 'nearest' });
    this.#verdict.focus({ preventScroll: true });
  }

  get #isStale(): boolean {
    return this.#judged !== undefined && this.#judged !== keyOf(this.text, this.#machine);
  }

  /** Marks results of another text or machine, whose fixes must not be applied to this one. */
  #showAge(): void {
    const isStale = this.#isStale;
    this.resultPane.dataset['stale'] = String(isStale);
    for (const content of this.#contents.values()) {
      for (const one of content.querySelectorAll<HTMLButtonElement>('.finding button, .reads button, .fix')) {
        one.disabled = isStale;
      }
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
      timelineView(
        result,
        {
          onLine: (line) => this.#goTo(line),
          draw: async (width) => this.#client.request({ kind: 'timeline', width }),
          trace: async () => this.#client.request({ kind: 'trace' }),
        },
        FILE,
      ),
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
      `${verdictSentence(result)} It took ${time(result.milliseconds)}.`,
      report.verdict,
    );
    this.#verdict.append(' ', h('a', { class: 'explanation', href: verdictUrl, target: '_blank' }, 'What this proves'));
    const cards = findingCards(result, FILE, {
      onLine: (line) => this.#goTo(line),
      ...(this.#hasFixes ? { onFix: (fixes) => void this.#apply(fixes) } : {}),
      onShow: (finding) => this.show(finding, true),
      onReplay: (choices) => void this.checkNow(choices),
    });
    this.#contents.set('findings', cards);
    this.#contents.set('log', h('pre', { class: 'report', tabindex: '0' }, result.text));
    this.#select('findings');
    const [leading] = inOrder(result);
    const first = leading === undefined ? undefined : report.findings[leading];
    if (first === undefined) {
      this.editor.mark([]);
      this.finding = undefined;
    } else this.show(first);
  }

  #showProblem(error: unknown): void {
    const problem: Problem = error instanceof WorkerProblem ? error.problem : { message: String(error) };
    const first = problem.message.split('\n')[0] ?? '';
    this.#say('bad', `${problem.code === undefined ? '' : `${problem.code}: `}${first}`, problem.code);
    this.onFailed(first);
    if (problem.code !== undefined) this.#verdict.append(' ', explanationLink(problem.code, 'What this means'));
    // Findings of an earlier check are no result of this text.
    this.#contents.delete('findings');
    this.#findings = [];
    this.finding = undefined;
    this.#contents.set('log', h('pre', { class: 'report', tabindex: '0' }, problem.message));
    const { line } = problem;
    this.editor.mark(line === undefined ? [] : [{ line, column: 1, endColumn: 1, label: '', kind: 'first' }]);
    if (line !== undefined) this.editor.goTo(line, false);
    this.#select('log');
  }

  async #apply(fixes: readonly Pick<Fix, 'edits'>[]): Promise<void> {
    if (this.#isStale) return;
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
    if (this.#tabs.shown === 'emitted') this.#emitted.mark(line);
  }

  #changed(): void {
    this.#isHeldBack = false;
    this.#showAge();
    this.onChange();
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#analyse(), PAUSE);
  }

  async #analyse(): Promise<void> {
    if (this.#busy || this.#isHeldBack) return;
    const { text } = this;
    this.#analysed = text;
    const endless = setTimeout(() => this.#client.stop(), ENDLESS);
    try {
      const problems = problemsOf(await this.#client.request({ kind: 'analyse', text }), text);
      if (text !== this.text) return;
      void this.editor.showProblems(problems);
      const isValid = problems.every(({ severity }) => severity === 'warning');
      if (this.#tabs.shown === 'emitted' && isValid) await this.#emitted.draw(this.#panel);
    } catch (error) {
      // Run and Check tell why the worker does not answer.
      if (!(error instanceof Stopped) && !(error instanceof WorkerProblem)) throw error;
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
    this.#judged = undefined;
    this.#showAge();
    this.#say('none', 'Run the program, or check it.');
    this.#select('findings');
  }

  #showPhase(phase: string): void {
    this.#phase.textContent = phase;
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
    this.#tabs.draw(tabNames(this.#findings.length, this.#isEmbed), tab);
    this.#panel.dataset['live'] = String(tab === 'emitted');
    if (tab !== 'emitted') this.#emitted.close();
    if (tab === 'emitted') {
      void this.#emitted.draw(this.#panel);
      return;
    }
    const content = this.#contents.get(tab);
    if (content === undefined)
      this.#panel.replaceChildren(h('p', { class: 'quiet' }, empty[tab]), ...this.#starts(tab));
    else this.#panel.replaceChildren(content);
  }

  /** The button that fills a tab which neither Run nor Check fills. */
  #starts(tab: Tab): readonly HTMLButtonElement[] {
    if (tab === 'executions')
      return [button('Step through the executions', () => void this.showSteps('executions'), { id: 'go-through' })];
    return tab === 'relax' ? [button('Find what is not needed', () => void this.relaxNow(), { id: 'relax' })] : [];
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

/** Equal programs on equal machines have one key. */
function keyOf(text: string, machine: Machine): string {
  return JSON.stringify([text, machine]);
}

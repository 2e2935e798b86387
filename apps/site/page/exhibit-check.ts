import { sharedClient, WorkerProblem } from './client.ts';
import { framed } from './framed.ts';
import type { KernelCase } from './kernel-case.ts';
import { h } from './ui/dom.ts';
import { Editor } from './ui/editor.ts';
import { findingCards, marksOf, sentence } from './ui/results.ts';

let cases: Promise<readonly KernelCase[]> | undefined;

/** Checks a kernel of the museum, and shows the findings beside its CUDA C++. */
export async function checkExhibit(host: HTMLElement, name: string): Promise<void> {
  cases ??= read();
  const found = (await cases).find((one) => one.name === name);
  if (found === undefined) throw new RangeError(`The museum has no exhibit ${name}.`);
  const told = h('p', { class: 'verdict', role: 'status', 'data-state': 'busy' }, 'Checking …');
  const code = h('div', { class: 'pane code-pane' });
  const result = h('div', { class: 'pane result-pane' }, told);
  host.querySelector('.framed:has(.playground)')?.remove();
  host.append(framed(h('div', { class: 'playground embed' }, code, result)));
  const editor = new Editor({ parent: code, text: found.cuda, label: 'CUDA C++', isReadOnly: true });
  const { ptx, launch, cuda, residentCtas } = found;
  const rest = residentCtas === undefined ? {} : { residentCtas };
  try {
    const answer = await sharedClient().request(
      { kind: 'ptx', ptx, launch, cuda, ...rest },
      {
        onPhase: (phase) => {
          told.textContent = `Checking: ${phase}`;
        },
      },
    );
    const { verdict, findings } = answer.report;
    told.textContent = sentence(answer.verdict);
    told.dataset['state'] = verdict === 'clean' ? 'good' : 'bad';
    told.dataset['verdict'] = verdict;
    const file =
      findings.flatMap(({ labels }) => labels.flatMap(({ place: location }) => location?.file ?? []))[0] ?? '';
    result.append(
      findingCards(answer, file, {
        onLine: (line) => editor.goTo(line),
        onShow: (finding) => editor.mark(marksOf(finding, file)),
      }),
    );
    const [first] = findings;
    const marks = first === undefined ? [] : marksOf(first, file);
    editor.mark(marks);
    const [mark] = marks;
    if (mark !== undefined) editor.goTo(mark.line, false);
  } catch (error) {
    told.textContent = error instanceof WorkerProblem ? error.problem.message : String(error);
    told.dataset['state'] = 'bad';
  }
}

async function read(): Promise<readonly KernelCase[]> {
  const response = await fetch(new URL('museum.json', import.meta.url));
  // The site's build writes this file from `KernelCase`s.
  return (await response.json()) as readonly KernelCase[];
}

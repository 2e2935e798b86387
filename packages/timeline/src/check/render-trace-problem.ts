import type { TraceProblem } from './trace-problem.ts';

/** Describes the problem in a sentence, which begins with the event's index. */
export function renderTraceProblem(problem: TraceProblem): string {
  switch (problem.kind) {
    case 'shape':
      return `the trace must be an array of events, or an object whose traceEvents is one; it is ${problem.given}`;
    case 'timeUnit':
      return `displayTimeUnit must be "ms" or "ns"; it is ${problem.given}`;
    case 'notAnObject':
      return at(problem, `must be an object; it is ${problem.given}`);
    case 'phase':
      return at(problem, `ph must be a phase of the format; it is ${problem.given}`);
    case 'missing':
      return at(problem, `an event of phase ${problem.phase} needs ${problem.field}: ${problem.expected}`);
    case 'wrong':
      return at(
        problem,
        `${problem.field} of an event of phase ${problem.phase} must be ${problem.expected}; it is ${problem.given}`,
      );
    case 'together':
      return at(problem, `has both ${problem.fields.join(' and ')}; one of them is enough`);
    case 'duplicate':
      return at(problem, `gives ${problem.name} again, after event ${problem.earlier}`);
    case 'unmatchedEnd':
      return at(problem, 'ends a slice, and none is open on its thread');
    case 'unmatchedBegin':
      return at(problem, 'begins a slice that never ends');
    case 'overlap':
      return at(problem, `begins inside of the slice of event ${problem.other}, and ends after it`);
    case 'flowStarts':
      return at(problem, `flow ${problem.flow} must start once; it starts ${times(problem.times)}`);
    case 'flowFinishes':
      return at(problem, `flow ${problem.flow} must finish once; it finishes ${times(problem.times)}`);
    case 'flowBackwards':
      return at(problem, `flow ${problem.flow} goes back in time, against event ${problem.other}`);
    case 'flowLoose':
      return at(problem, `flow ${problem.flow} touches no slice of its thread here`);
  }
}

function at({ event }: { readonly event: number }, text: string): string {
  return `event ${event}: ${text}`;
}

function times(count: number): string {
  return count === 0 ? 'never' : `${count} times`;
}

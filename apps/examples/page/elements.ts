/** The element of the page that a selector names. */
export function element<E extends Element>(selector: string, type: abstract new () => E): E {
  const found = document.querySelector(selector);
  if (found instanceof type) return found;
  throw new TypeError(`The page lacks ${type.name} at ${selector}.`);
}

/** The field of the form with that name. */
export function field(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** A list of steps, of which one runs at a time. */
export interface StepList<S extends string> {
  /** Ends the running step, and begins this one. */
  begin(step: S): void;
  end(): void;
  fail(): void;
}

/** Fills `list` with steps that have not begun. */
export function showSteps<S extends string>(list: HTMLElement, steps: Readonly<Record<S, string>>): StepList<S> {
  const items = new Map<string, HTMLElement>();
  for (const [step, text] of Object.entries<string>(steps)) {
    const item = document.createElement('li');
    const time = document.createElement('span');
    time.className = 'time';
    item.append(text, time);
    items.set(step, item);
  }
  list.replaceChildren(...items.values());
  list.hidden = false;

  let running: { readonly item: HTMLElement; readonly since: number } | undefined;
  const finish = (state: 'done' | 'failed'): void => {
    if (running === undefined) return;
    const { item, since } = running;
    item.dataset['state'] = state;
    const time = item.querySelector('.time');
    if (time !== null) time.textContent = `${Math.round(performance.now() - since)} ms`;
    running = undefined;
  };
  return {
    begin: (step) => {
      finish('done');
      const item = items.get(step);
      if (item === undefined) return;
      item.dataset['state'] = 'running';
      running = { item, since: performance.now() };
    },
    end: () => finish('done'),
    fail: () => finish('failed'),
  };
}

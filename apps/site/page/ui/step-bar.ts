import { button, h } from './dom.ts';

/** A view with steps, whose position can be part of a link. */
export interface Stepped {
  readonly root: HTMLElement;
  readonly count: number;
  go(step: number): void;
}

export interface StepActions {
  readonly onLine: (line: number) => void;
  /** Called to mark lines without scrolling to them. */
  readonly onStep: (step: number, lines: readonly number[]) => void;
}

/** A bar for steps: a slider between two buttons. */
export function stepBar(name: string, count: number, show: (step: number) => void): Pick<Stepped, 'root' | 'go'> {
  const slider = h('input', { type: 'range', min: '0', max: String(count - 1), value: '0', 'aria-label': name });
  const told = h('output', {});
  const go = (step: number): void => {
    const at = Math.max(0, Math.min(count - 1, step));
    slider.value = String(at);
    told.textContent = `${name} ${at + 1} of ${count}`;
    slider.setAttribute('aria-valuetext', told.textContent);
    show(at);
  };
  slider.addEventListener('input', () => go(Number(slider.value)));
  const root = h(
    'div',
    { class: 'steps' },
    button('‹', () => go(Number(slider.value) - 1), { 'aria-label': `${name} before` }),
    slider,
    button('›', () => go(Number(slider.value) + 1), { 'aria-label': `${name} after` }),
    told,
  );
  return { root, go };
}

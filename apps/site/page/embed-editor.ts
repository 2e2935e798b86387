import { sharedClient } from './client.ts';
import { framed } from './framed.ts';
import { Playground } from './ui/playground.ts';
import { h } from './ui/dom.ts';

export { fragmentOf } from './ui/share.ts';

/** Replaces the code with an editor. */
export async function openEmbed(host: HTMLElement, text: string, ranks: number): Promise<Playground> {
  const root = h('div', { class: 'playground embed' });
  const playground = new Playground({ root, client: sharedClient(), text, machine: { ranks, seed: 1 }, isEmbed: true });
  const code = host.querySelector('[class*="language-"]') ?? host.querySelector('pre');
  host.querySelector('.embed-host')?.remove();
  code?.replaceWith(framed(root));
  const bar = host.querySelector('.play-bar');
  bar?.querySelectorAll('button').forEach((one) => one.remove());
  bar?.prepend(playground.run, playground.check, playground.stop);
  return playground;
}

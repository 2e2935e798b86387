import { Client } from './client.ts';
import { Playground } from './ui/playground.ts';
import { h } from './ui/dom.ts';

/** One worker for all embeds of a page. */
let client: Client | undefined;

/** Puts the editor in the place of the code. */
export async function openEmbed(host: HTMLElement, text: string, ranks: number): Promise<Playground> {
  client ??= new Client(new URL('worker.js', import.meta.url).href);
  const root = h('div', { class: 'playground embed' });
  const playground = new Playground({ root, client, text, machine: { ranks, seed: 1 }, isEmbed: true });
  host.querySelector('pre')?.replaceWith(root);
  const bar = host.querySelector('.play-bar');
  bar?.querySelectorAll('button').forEach((one) => one.remove());
  bar?.prepend(playground.run, playground.check, playground.stop);
  await client.ready;
  return playground;
}

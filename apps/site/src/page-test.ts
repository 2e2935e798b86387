import type { Page } from 'playwright-core';
import { loaded } from './views.ts';

/** A test in a page of its own, whose addresses are relative to the site. */
export type Test = (page: Page) => Promise<void>;

/** The page's own object, in functions that run there. */
declare const playground: { text: string };

export const LONG = 60_000;

export async function open(page: Page, path: string): Promise<void> {
  await page.goto('about:blank');
  await page.goto(path);
  await loaded(page);
}

export async function press(page: Page, name: string): Promise<void> {
  await page.click(`#bar button:text-is("${name}")`);
}

/** The verdict's sentence, once nothing runs. */
export async function verdict(page: Page): Promise<string> {
  await page.waitForFunction(() => document.querySelector('.verdict')?.getAttribute('data-state') !== 'busy', null, {
    timeout: LONG,
  });
  return (await page.textContent('.verdict')) ?? '';
}

/** Replaces the program. */
export async function type(page: Page, text: string): Promise<void> {
  await page.evaluate((given) => {
    playground.text = given;
  }, text);
}

export const textOf = async (page: Page): Promise<string> => page.evaluate(() => playground.text);

import { generateBulk } from './bulk-program.ts';
import { generate, isTheme, type Theme } from './generate.ts';
import { generatePtx } from './ptx/generate-ptx.ts';
import { Random } from './random.ts';
import type { AnyProgram } from './subject.ts';

/**
 * The programs of a campaign: a theme of the kernel language, bulk copies, PTX text of every kind,
 * or all of these in turn.
 */
export type CampaignTheme = Theme | 'bulk' | 'ptx' | 'all';

export function isCampaignTheme(name: string): name is CampaignTheme {
  return name === 'bulk' || name === 'ptx' || name === 'all' || isTheme(name);
}

/** The program of a seed. Without a theme, it is any of the kernel language. */
export function programOf(seed: number, theme?: CampaignTheme): AnyProgram {
  switch (theme) {
    case 'bulk':
      return generateBulk(seed);
    case 'ptx':
      return generatePtx(seed);
    case 'all':
      return programOf(seed, new Random(seed ^ 0x61_6c_6c).pick(all));
    default:
      return generate(seed, theme);
  }
}

/** Two of three programs are PTX text. */
const all = ['ptx', 'ptx', 'ptx', 'ptx', 'ptx', 'ptx', 'hybrid', 'network', 'bulk'] as const;

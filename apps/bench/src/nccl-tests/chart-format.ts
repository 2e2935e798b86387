export type ChartFormat = 'svg' | 'png';

/** By a file's name; undefined for one that ends otherwise. */
export function chartFormatOf(file: string): ChartFormat | undefined {
  const extension = /\.(svg|png)$/i.exec(file)?.[1]?.toLowerCase();
  return extension === 'svg' || extension === 'png' ? extension : undefined;
}

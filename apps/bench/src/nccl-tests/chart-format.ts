export type ChartFormat = 'svg' | 'png';

/** The format by a file's name; undefined for other endings. */
export function chartFormatOf(file: string): ChartFormat | undefined {
  const extension = /\.(svg|png)$/i.exec(file)?.[1]?.toLowerCase();
  return extension === 'svg' || extension === 'png' ? extension : undefined;
}

import { LineChart, type LineSeriesOption } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { BenchMeasure, BenchRow } from './report/bench-report.ts';

const WIDTH = 1000;
const HEIGHT = 470;

/**
 * A chart of time and bus bandwidth over size, with a line for each type, operator and root, out of
 * place and in place.
 */
export function chartSvg(rows: readonly BenchRow[], title: string): string {
  use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  try {
    const bytes = { type: 'log' as const, logBase: 2, name: 'bytes', nameLocation: 'middle' as const, nameGap: 28 };
    const axis = { ...bytes, min: 'dataMin' as const, max: 'dataMax' as const, axisLabel: { formatter: sizeText } };
    chart.setOption({
      animation: false,
      title: { text: title, left: 'center' },
      legend: { bottom: 0 },
      grid: [
        { left: 70, width: 390, top: 90, bottom: 90 },
        { left: 560, width: 390, top: 90, bottom: 90 },
      ],
      xAxis: [axis, { ...axis, gridIndex: 1 }],
      yAxis: [
        { type: 'log', name: 'time (us)' },
        { type: 'value', name: 'busbw (GB/s)', gridIndex: 1 },
      ],
      series: [...lines(rows, 0, ({ time }) => time), ...lines(rows, 1, ({ busBw }) => busBw)],
    });
    return chart.renderToSVGString();
  } finally {
    chart.dispose();
  }
}

/** An SVG image as a PNG file of twice its size. Text is set in a font of the system. */
export async function pngOf(svg: string): Promise<Uint8Array> {
  const { Resvg } = await import('@resvg/resvg-js');
  return new Resvg(svg, { background: 'white', fitTo: { mode: 'zoom', value: 2 } }).render().asPng();
}

function lines(
  rows: readonly BenchRow[],
  panel: number,
  valueOf: (measure: BenchMeasure) => number,
): readonly LineSeriesOption[] {
  const halves = [
    { of: 'outOfPlace', called: 'out of place', dashed: false },
    { of: 'inPlace', called: 'in place', dashed: true },
  ] as const;
  return halves.flatMap(({ of, called, dashed }) => {
    const points = new Map<string, [number, number][]>();
    for (const row of rows) {
      const measure = row[of];
      const value = measure === undefined ? 0 : valueOf(measure);
      // A logarithmic axis cannot show it.
      if (!(row.size > 0) || (panel === 0 && !(value > 0)) || measure === undefined) continue;
      const name = `${nameOf(row)}, ${called}`;
      points.set(name, [...(points.get(name) ?? []), [row.size, value]]);
    }
    return [...points].map(([name, data]): LineSeriesOption => ({
      type: 'line',
      name,
      data,
      xAxisIndex: panel,
      yAxisIndex: panel,
      lineStyle: { type: dashed ? 'dashed' : 'solid' },
    }));
  });
}

function nameOf({ type, redop, root, experiment }: BenchRow): string {
  const parts = [type, ...(redop === 'none' || redop === '' ? [] : [redop]), ...(root < 0 ? [] : [`root ${root}`])];
  return [...parts, ...(experiment === '' ? [] : [experiment])].join(' ');
}

function sizeText(bytes: number): string {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Number((bytes / 2 ** (10 * power)).toPrecision(3))}${['', 'K', 'M', 'G'][power] ?? ''}`;
}

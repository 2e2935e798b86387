import { testExamples } from './support/schedules.ts';

testExamples(({ needs }) => !needs.includes('gin'));

import './math.test.ts';

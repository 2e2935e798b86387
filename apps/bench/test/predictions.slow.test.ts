import './predictions.test.ts';

import './predict.test.ts';

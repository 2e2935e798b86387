import './recorder.test.ts';

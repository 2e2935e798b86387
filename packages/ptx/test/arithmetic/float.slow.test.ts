import './float.test.ts';

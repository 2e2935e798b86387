import './see-once.test.ts';

import './visit.test.ts';

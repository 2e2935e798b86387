import './conformance.test.ts';

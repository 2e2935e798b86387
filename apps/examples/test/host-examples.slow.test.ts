import './host-examples.test.ts';

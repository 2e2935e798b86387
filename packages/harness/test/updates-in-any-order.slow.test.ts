import './updates-in-any-order.test.ts';

;; A module as Candor would take it: one function from the JSON of a call to the JSON of its reply. Written by hand, so
;; that the study needs no other compiler. It answers with what it was asked.
(component
  (core module $code
    (memory (export "memory") 1)
    ;; What was given out so far. Every instance lives for one call, so that nothing is given back.
    (global $free (mut i32) (i32.const 16))
    (func (export "realloc") (param $old i32) (param $old_length i32) (param $align i32) (param $length i32) (result i32)
      (local $given i32)
      (local.set $given
        (i32.and
          (i32.add (global.get $free) (i32.sub (local.get $align) (i32.const 1)))
          (i32.sub (i32.const 0) (local.get $align))))
      (global.set $free (i32.add (local.get $given) (local.get $length)))
      (if (i32.gt_u (global.get $free) (i32.mul (memory.size) (i32.const 65536)))
        (then (if (i32.eq (memory.grow (i32.const 16)) (i32.const -1)) (then unreachable))))
      (local.get $given))
    (func (export "run") (param $at i32) (param $length i32) (result i32)
      ;; An empty call is one that never ends.
      (if (i32.eqz (local.get $length)) (then (loop $for_ever (br $for_ever))))
      (i32.store (i32.const 0) (local.get $at))
      (i32.store (i32.const 4) (local.get $length))
      (i32.const 0)))
  (core instance $running (instantiate $code))
  (func (export "run") (param "call" string) (result string)
    (canon lift (core func $running "run") (memory (core memory $running "memory")) (realloc (core func $running "realloc")))))

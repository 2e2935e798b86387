(module
  (import "env" "memory" (memory 0))
  (import "env" "isLate" (func $isLate (result i32)))
  (func $threads0 (export "threads0") (param i32 i32 i32 f64 i32) (result i32)
    (local i32 i32 i32 f64 i32 i32)
    block $0
      loop $1
        local.get 5
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          i32.const 0
          local.set 6
          block $3
            local.get 5
            i32.const 2
            i32.lt_u
            if $6
              local.get 5
              local.get 2
              i32.lt_u
              if $4 (result i32)
                local.get 5
                i32.const 1
                i32.add
              else
                local.get 0
                local.get 3
                local.get 5
                i32.const -256
                i32.sub
                local.tee 7
                i32.const 1023
                local.get 7
                i32.const 1023
                i32.lt_u
                select
                f64.convert_i32_u
                f64.const 4294967296
                f64.mul
                f64.add
                f64.store offset=64 align=8
                i32.const 0
              end
              local.set 6
              local.get 0
              local.get 6
              i32.const 3
              i32.shl
              i32.add
              f64.load offset=64 align=8
              f64.const 4096
              f64.add
              local.get 4
              f64.convert_i32_u
              f64.const 4
              f64.mul
              f64.add
              local.set 8
              local.get 8
              i64.trunc_sat_f64_u
              i32.wrap_i64
              local.set 10
              local.get 8
              local.get 0
              local.get 6
              i32.const 3
              i32.shl
              i32.add
              f64.load offset=1088 align=8
              f64.ge
              local.get 8
              f64.const 4
              f64.add
              local.get 0
              local.get 6
              i32.const 3
              i32.shl
              i32.add
              f64.load offset=2112 align=8
              f64.le
              i32.and
              i32.eqz
              local.get 10
              i32.const 3
              i32.and
              i32.or
              if $5
                local.get 0
                local.get 8
                f64.store offset=8 align=8
                local.get 0
                local.get 0
                local.get 6
                i32.const 3
                i32.shl
                i32.add
                f64.load offset=3136 align=8
                i32.trunc_sat_f64_u
                i32.store offset=16 align=4
                local.get 0
                local.get 5
                i32.store align=4
                i32.const 1
                return
              end
              local.get 10
              local.set 9
              local.get 9
              local.get 1
              i32.store align=4
            end
          end
        end
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br $1
      end
    end
    i32.const 0
  )
  (func $threads2 (export "threads2") (param i32 i32 i32 i32 i32 i32) (result i32)
    (local i32 i32 f32 f32 i32 v128 v128 v128 v128 v128 v128 v128)
    local.get 5
    if $4
      f32.const 0
      f32x4.splat
      local.set 12
      i32.const 0
      i32x4.splat
      local.set 14
      i32.const 2
      i32x4.splat
      local.set 17
      block $5
        loop $6
          local.get 6
          i32.const 4
          i32.add
          local.get 1
          i32.gt_u
          br_if $5
          local.get 2
          local.get 6
          i32.add
          i32x4.splat
          v128.const i8x16 0 0 0 0 1 0 0 0 2 0 0 0 3 0 0 0
          i32x4.add
          local.set 11
          local.get 12
          local.set 13
          local.get 14
          local.set 15
          local.get 3
          local.get 6
          i32.const 2
          i32.shl
          i32.add
          v128.load align=4
          local.set 16
          local.get 13
          local.get 16
          f32x4.add
          local.set 13
          local.get 4
          local.get 6
          i32.const 2
          i32.shl
          i32.add
          v128.load align=4
          local.set 16
          local.get 13
          local.get 16
          f32x4.add
          local.set 13
          local.get 17
          local.set 15
          local.get 14
          local.set 15
          local.get 3
          local.get 6
          i32.const 2
          i32.shl
          i32.add
          local.get 13
          v128.store align=4
          local.get 4
          local.get 6
          i32.const 2
          i32.shl
          i32.add
          local.get 13
          v128.store align=4
          local.get 17
          local.set 15
          local.get 6
          i32.const 4
          i32.add
          local.set 6
          br $6
        end
      end
    end
    block $0
      loop $1
        local.get 6
        local.get 1
        i32.ge_u
        br_if $0
        block $2
          local.get 2
          local.get 6
          i32.add
          local.set 7
          f32.const 0
          local.set 8
          f32.const 0
          local.set 9
          i32.const 0
          local.set 10
          block $3
            f32.const 0
            local.set 8
            i32.const 0
            local.set 10
            local.get 3
            local.get 6
            i32.const 2
            i32.shl
            i32.add
            f32.load align=4
            local.set 9
            local.get 8
            local.get 9
            f32.add
            local.set 8
            local.get 4
            local.get 6
            i32.const 2
            i32.shl
            i32.add
            f32.load align=4
            local.set 9
            local.get 8
            local.get 9
            f32.add
            local.set 8
            i32.const 2
            local.set 10
            i32.const 0
            local.set 10
            local.get 3
            local.get 6
            i32.const 2
            i32.shl
            i32.add
            local.get 8
            f32.store align=4
            local.get 4
            local.get 6
            i32.const 2
            i32.shl
            i32.add
            local.get 8
            f32.store align=4
            i32.const 2
            local.set 10
          end
        end
        local.get 6
        i32.const 1
        i32.add
        local.set 6
        br $1
      end
    end
    i32.const 0
  )
  (func $threads3 (export "threads3") (param i32 i32 i32 f64 i32 f64 f64 f64 i32 f64 f64 i32 i32) (result i32)
    (local i32 i32 f32 f32 i32 i32 f64 i32 i32 f64 i32 i32 f64 i32 i32 f64 i32 i32 i32 i32 i32 v128 v128 v128)
    local.get 12
    local.set 13
    i32.const 8192
    local.set 32
    block $0
      loop $1
        local.get 13
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          i32.const 0
          local.set 14
          f32.const 0
          local.set 15
          f32.const 0
          local.set 16
          i32.const 0
          local.set 17
          local.get 13
          local.get 1
          i32.add
          local.set 18
          block $3
            local.get 18
            local.set 14
            block $4
              loop $11
                block $12
                  loop $5
                    local.get 14
                    local.get 2
                    i32.lt_u
                    i32.eqz
                    br_if $4
                    local.get 32
                    i32.const 1
                    i32.sub
                    local.tee 32
                    i32.const 0
                    i32.le_s
                    br_if $12
                    block $6
                      f32.const 0
                      local.set 15
                      i32.const 0
                      local.set 17
                      local.get 3
                      local.get 14
                      f64.convert_i32_u
                      f64.const 4
                      f64.mul
                      f64.add
                      local.set 19
                      local.get 19
                      i64.trunc_sat_f64_u
                      i32.wrap_i64
                      local.set 21
                      local.get 19
                      local.get 5
                      f64.ge
                      local.get 19
                      f64.const 4
                      f64.add
                      local.get 6
                      f64.le
                      i32.and
                      i32.eqz
                      local.get 21
                      i32.const 3
                      i32.and
                      i32.or
                      if $7
                        local.get 0
                        local.get 19
                        f64.store offset=8 align=8
                        local.get 0
                        local.get 4
                        i32.store offset=16 align=4
                        local.get 0
                        local.get 13
                        i32.store align=4
                        i32.const 1
                        return
                      end
                      local.get 21
                      local.set 20
                      local.get 20
                      f32.load align=4
                      local.set 16
                      local.get 15
                      local.get 16
                      f32.add
                      local.set 15
                      local.get 7
                      local.get 14
                      f64.convert_i32_u
                      f64.const 4
                      f64.mul
                      f64.add
                      local.set 22
                      local.get 22
                      i64.trunc_sat_f64_u
                      i32.wrap_i64
                      local.set 24
                      local.get 22
                      local.get 9
                      f64.ge
                      local.get 22
                      f64.const 4
                      f64.add
                      local.get 10
                      f64.le
                      i32.and
                      i32.eqz
                      local.get 24
                      i32.const 3
                      i32.and
                      i32.or
                      if $8
                        local.get 0
                        local.get 22
                        f64.store offset=8 align=8
                        local.get 0
                        local.get 8
                        i32.store offset=16 align=4
                        local.get 0
                        local.get 13
                        i32.store align=4
                        i32.const 2
                        return
                      end
                      local.get 24
                      local.set 23
                      local.get 23
                      f32.load align=4
                      local.set 16
                      local.get 15
                      local.get 16
                      f32.add
                      local.set 15
                      i32.const 2
                      local.set 17
                      i32.const 0
                      local.set 17
                      local.get 3
                      local.get 14
                      f64.convert_i32_u
                      f64.const 4
                      f64.mul
                      f64.add
                      local.set 25
                      local.get 25
                      i64.trunc_sat_f64_u
                      i32.wrap_i64
                      local.set 27
                      local.get 25
                      local.get 5
                      f64.ge
                      local.get 25
                      f64.const 4
                      f64.add
                      local.get 6
                      f64.le
                      i32.and
                      i32.eqz
                      local.get 27
                      i32.const 3
                      i32.and
                      i32.or
                      if $9
                        local.get 0
                        local.get 25
                        f64.store offset=8 align=8
                        local.get 0
                        local.get 4
                        i32.store offset=16 align=4
                        local.get 0
                        local.get 13
                        i32.store align=4
                        i32.const 3
                        return
                      end
                      local.get 27
                      local.set 26
                      local.get 26
                      local.get 15
                      f32.store align=4
                      local.get 7
                      local.get 14
                      f64.convert_i32_u
                      f64.const 4
                      f64.mul
                      f64.add
                      local.set 28
                      local.get 28
                      i64.trunc_sat_f64_u
                      i32.wrap_i64
                      local.set 30
                      local.get 28
                      local.get 9
                      f64.ge
                      local.get 28
                      f64.const 4
                      f64.add
                      local.get 10
                      f64.le
                      i32.and
                      i32.eqz
                      local.get 30
                      i32.const 3
                      i32.and
                      i32.or
                      if $10
                        local.get 0
                        local.get 28
                        f64.store offset=8 align=8
                        local.get 0
                        local.get 8
                        i32.store offset=16 align=4
                        local.get 0
                        local.get 13
                        i32.store align=4
                        i32.const 4
                        return
                      end
                      local.get 30
                      local.set 29
                      local.get 29
                      local.get 15
                      f32.store align=4
                      i32.const 2
                      local.set 17
                    end
                    local.get 14
                    local.get 11
                    i32.add
                    local.set 14
                    br $5
                  end
                end
                local.get 31
                i32.const 8192
                i32.add
                local.get 32
                i32.sub
                local.get 33
                i32.sub
                local.set 31
                i32.const 8192
                local.set 32
                i32.const 0
                local.set 33
                local.get 31
                i32.const 1073741824
                i32.gt_u
                if $13
                  local.get 0
                  local.get 13
                  i32.store align=4
                  i32.const 6
                  return
                end
                call $isLate
                if $14
                  local.get 0
                  local.get 31
                  i32.store offset=64 align=4
                  local.get 0
                  local.get 14
                  i32.store offset=72 align=4
                  local.get 0
                  local.get 13
                  i32.store align=4
                  i32.const 5
                  return
                end
                br $11
              end
            end
          end
        end
        local.get 13
        i32.const 1
        i32.add
        local.set 13
        br $1
      end
    end
    i32.const 0
  )
  (func $threads4 (export "threads4") (param i32 i32 i32 f64 i32) (result i32)
    (local i32 i32 i32 f64 i32 i32)
    block $0
      loop $1
        local.get 5
        i32.const 64
        i32.ge_u
        br_if $0
        block $2
          i32.const 0
          local.set 6
          block $3
            local.get 5
            i32.const 2
            i32.lt_u
            if $6
              local.get 5
              local.get 2
              i32.lt_u
              if $4 (result i32)
                local.get 5
                i32.const 1
                i32.add
              else
                local.get 0
                local.get 3
                local.get 5
                i32.const -256
                i32.sub
                local.tee 7
                i32.const 1023
                local.get 7
                i32.const 1023
                i32.lt_u
                select
                f64.convert_i32_u
                f64.const 4294967296
                f64.mul
                f64.add
                f64.store offset=64 align=8
                i32.const 0
              end
              local.set 6
              local.get 0
              local.get 6
              i32.const 3
              i32.shl
              i32.add
              f64.load offset=64 align=8
              f64.const 4096
              f64.add
              local.get 4
              f64.convert_i32_u
              f64.const 4
              f64.mul
              f64.add
              local.set 8
              local.get 8
              i64.trunc_sat_f64_u
              i32.wrap_i64
              local.set 10
              local.get 8
              local.get 0
              local.get 6
              i32.const 3
              i32.shl
              i32.add
              f64.load offset=1088 align=8
              f64.ge
              local.get 8
              f64.const 4
              f64.add
              local.get 0
              local.get 6
              i32.const 3
              i32.shl
              i32.add
              f64.load offset=2112 align=8
              f64.le
              i32.and
              i32.eqz
              local.get 10
              i32.const 3
              i32.and
              i32.or
              if $5
                local.get 0
                local.get 8
                f64.store offset=8 align=8
                local.get 0
                local.get 0
                local.get 6
                i32.const 3
                i32.shl
                i32.add
                f64.load offset=3136 align=8
                i32.trunc_sat_f64_u
                i32.store offset=16 align=4
                local.get 0
                local.get 5
                i32.store align=4
                i32.const 1
                return
              end
              local.get 10
              local.set 9
              local.get 9
              local.get 1
              i32.store align=4
            end
          end
        end
        local.get 5
        i32.const 1
        i32.add
        local.set 5
        br $1
      end
    end
    i32.const 0
  )
)

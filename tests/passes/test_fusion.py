from __future__ import annotations

from tscript.ir.graph import Fused, Op, walk
from tscript.passes import Fusion


def groups(program):
    found = [n for n in walk(program.entry.body) if isinstance(n, Fused)]
    return [[m.op.name for m in g.body.nodes if isinstance(m, Op)] for g in found]


def fused(parse, context, check, text, **options):
    program = parse(text)
    check(program, lambda p: Fusion(**options).run(p, context))
    return groups(program)


X = "%x: Tensor[float32, 2], %y: Tensor[float32, 2], %b: Tensor[float32, 1]"


def test_the_black_scholes_kind_of_chain_is_one_group(parse, context, check):
    text = f"""graph @f({X}) -> Tensor[float32, 2] {{
      %one: int = const 1
      %0: Tensor[float32, 2] = sigmoid(%x)
      %1: Tensor[float32, 2] = mul(%x, %0)
      %2: Tensor[float32, 2] = tanh(%y)
      %3: Tensor[float32, 2] = exp(%y)
      %4: Tensor[float32, 2] = mul(%2, %3)
      %5: Tensor[float32, 2] = add(%1, %4, %one)
      return %5
    }}"""
    assert groups_sorted(fused(parse, context, check, text)) == [["add", "exp", "mul", "mul", "sigmoid", "tanh"]]


def groups_sorted(found):
    return [sorted(g) for g in found]


def test_a_costly_function_of_a_smaller_tensor_is_not_repeated_per_row(parse, context, check):
    text = f"""graph @f({X}) -> Tensor[float32, 2] {{
      %0: Tensor[float32, 1] = exp(%b)
      %1: Tensor[float32, 2] = mul(%x, %0)
      %2: Tensor[float32, 1] = neg(%b)
      %3: Tensor[float32, 2] = mul(%1, %2)
      return %3
    }}"""
    assert fused(parse, context, check, text) == [["exp"], ["mul", "neg", "mul"]]


def test_a_reduced_tensor_counts_as_smaller(parse, context, check):
    text = f"""graph @f({X}) -> Tensor[float32, 2] {{
      %0: tuple[int] = const (1,)
      %1: bool = const True
      %2: None = const None
      %3: Tensor[float32, 2] = sum.dim(%x, %0, %1, %2)
      %4: Tensor[float32, 2] = log(%3)
      %5: Tensor[float32, 2] = mul(%x, %4)
      return %5
    }}"""
    assert fused(parse, context, check, text, reductions=False) == [["log"], ["mul"]]
    assert fused(parse, context, check, text) == [["sum.dim", "log", "mul"], ["log"], ["mul"]]


def test_reductions_of_the_first_dimensions_are_one_loop_over_columns(parse, context, check):
    text = f"""graph @f({X}) -> Tensor[float32, 2] {{
      %0: tuple[int] = const (0,)
      %1: bool = const True
      %2: None = const None
      %3: Tensor[float32, 2] = sum.dim(%x, %0, %1, %2)
      %4: Tensor[float32, 2] = mul(%x, %3)
      return %4
    }}"""
    assert fused(parse, context, check, text) == [["sum.dim", "mul"], ["mul"]]


def test_reductions_of_other_dimensions_stand_alone(parse, context, check):
    text = """graph @f(%x: Tensor[float32, 3]) -> Tensor[float32, 3] {
      %0: tuple[int] = const (1,)
      %1: bool = const True
      %2: None = const None
      %3: Tensor[float32, 3] = sum.dim(%x, %0, %1, %2)
      %4: Tensor[float32, 3] = mul(%x, %3)
      return %4
    }"""
    assert fused(parse, context, check, text) == [["mul"]]


def test_a_reduction_with_nothing_to_do_beside_it_stands_alone(parse, context, check):
    text = f"""graph @f({X}) -> Tensor[float32, 1] {{
      %0: tuple[int] = const (1,)
      %1: bool = const False
      %2: None = const None
      %3: Tensor[float32, 1] = sum.dim(%x, %0, %1, %2)
      %4: Tensor[float32, 1] = neg(%3)
      return %4
    }}"""
    assert fused(parse, context, check, text) == [["neg"]]


def test_a_result_without_the_dimension_is_not_broadcast_in_its_group(parse, context, check):
    text = f"""graph @f({X}) -> Tensor[float32, 2] {{
      %0: tuple[int] = const (1,)
      %1: bool = const False
      %2: None = const None
      %3: Tensor[float32, 2] = exp(%x)
      %4: Tensor[float32, 1] = sum.dim(%3, %0, %1, %2)
      %5: Tensor[float32, 1] = sqrt(%4)
      %6: Tensor[float32, 2] = mul(%x, %5)
      return %6
    }}"""
    assert fused(parse, context, check, text) == [["exp", "sum.dim", "sqrt"], ["exp"], ["sqrt"], ["mul"]]


def test_reductions_of_rows_and_of_everything_are_two_groups(parse, context, check):
    text = f"""graph @f({X}) -> Tensor[float32, 1] {{
      %0: tuple[int] = const (1,)
      %1: bool = const False
      %2: None = const None
      %3: Tensor[float32, 2] = exp(%x)
      %4: Tensor[float32, 1] = sum.dim(%3, %0, %1, %2)
      %5: Tensor[float32, 0] = sum(%3, %2)
      %6: Tensor[float32, 1] = mul(%4, %5)
      return %6
    }}"""
    assert fused(parse, context, check, text) == [["exp", "sum.dim"], ["exp"], ["mul"]]


def test_zero_dimensional_operands_join_any_group(parse, context, check):
    text = """graph @f(%x: Tensor[float32, 2], %s: Tensor[float32, 0]) -> Tensor[float32, 2] {
      %0: Tensor[float32, 0] = neg(%s)
      %1: Tensor[float32, 2] = mul(%x, %0)
      return %1
    }"""
    assert fused(parse, context, check, text) == [["neg", "mul"]]


def test_limits(parse, context):
    chain = "\n".join(f"%{i}: Tensor[float32, 1] = neg(%{i - 1 if i else 'x'})" for i in range(10))
    program = parse(f"graph @f(%x: Tensor[float32, 1]) -> Tensor[float32, 1] {{ {chain} return %9 }}")
    Fusion(max_members=4).run(program, context)
    assert [len(g) for g in groups(program)] == [4, 4, 2]


def test_a_group_waits_for_nodes_it_has_nothing_to_do_with(parse, context, check):
    text = f"""graph @f({X}, %n: int) -> Tensor[float32, 2] {{
      %0: Tensor[float32, 2] = neg(%x)
      %1: Tensor[float32, 2] = mm(%y, %y)
      %2: int = floor_divide.int(%n, %n)
      %3: Tensor[float32, 2] = mul(%0, %2)
      %4: Tensor[float32, 2] = mul(%3, %1)
      return %4
    }}"""
    program = parse(text)
    Fusion().run(program, context)
    assert groups(program) == [["neg", "mul", "mul"]]


def test_values_used_in_inner_blocks_leave_the_group(parse, context, check):
    text = f"""graph @f({X}, %c: bool) -> Tensor[float32, 2] {{
      %0: Tensor[float32, 2] = neg(%x)
      %1: Tensor[float32, 2] = abs(%0)
      %2: Tensor[float32, 2] = if %c {{ %3: Tensor[float32, 2] = mul(%0, %1) yield %3 }} else {{ yield %0 }}
      return %2
    }}"""
    assert fused(parse, context, check, text) == [["neg", "abs"], ["mul"]]


def test_a_group_that_writes_has_no_member_that_nobody_uses(parse, context, check):
    text = f"""graph @f({X}, %out: Tensor[float32, 2]) -> Tensor[float32, 2] {{
      %one: int = const 1
      %0: Tensor[float32, 2] = neg(%x)
      %1: Tensor[float32, 2] = add(%0, %y, %one)
      %2: Tensor[float32, 2] = add_(%out, %0, %one)
      return %2
    }}"""
    assert ["neg", "add", "add_"] not in fused(parse, context, check, text)


def test_views_of_numbers_keep_their_dimensions(parse, context, check):
    text = """graph @f(%x: Tensor[float32, 0]) -> Tensor[float32, 1] {
      %zero: int = const 0
      %0: Tensor[float32, 0] = neg(%x)
      %1: Tensor[float32, 1] = unsqueeze(%0, %zero)
      %2: Tensor[float32, 1] = exp(%1)
      return %2
    }"""
    assert fused(parse, context, check, text) == [["neg"], ["exp"]]

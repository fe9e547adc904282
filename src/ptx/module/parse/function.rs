//! Entries and functions: what stands before the body.

use std::collections::HashMap;

use super::Parser;
use super::scope::{Scope, Taken};
use crate::ptx::isa::{FunctionId, ParseError, ParseErrorKind, RegClass, Symbol};
use crate::ptx::module::{
    Entry, Function, FunctionParam, LaunchBounds, Linkage, Param, PointerAttr, PointerSpace, PrototypeParam,
};

/// A list of results or arguments, and the names in it.
type Signature<'a> = Vec<(&'a str, PrototypeParam)>;

impl<'a> Parser<'a> {
    /// A kernel after `.entry`.
    pub(super) fn entry(&mut self, linkage: Linkage) -> Result<(), ParseError> {
        let (visible, weak) = (linkage != Linkage::Internal, linkage == Linkage::Weak);
        let mut entry = Entry { visible, weak, ..Entry::new(self.name()?) };
        let names = std::mem::take(&mut self.names);
        let mut scope = Scope::new(&names);
        if self.is("(") {
            self.list(|parser| {
                let (name, param) = parser.param()?;
                let symbol = Symbol::Param(entry.params.push(param));
                scope.param(name, symbol).or_else(|Taken| parser.duplicate(name))
            })?;
        }
        (entry.bounds, entry.pragmas) = self.bounds()?;
        self.body(&mut entry, &mut scope)?;
        self.names = names;
        self.module.entries.push(entry);
        Ok(())
    }

    /// A function after `.func`, or its declaration.
    pub(super) fn function(&mut self, linkage: Linkage) -> Result<(), ParseError> {
        let results = if self.is("(") { self.signature()? } else { Vec::new() };
        let name = self.name()?;
        let name_at = self.at;
        let arguments = if self.is("(") { self.signature()? } else { Vec::new() };
        let mut no_return = self.eat(".noreturn");
        let (bounds, pragmas) = self.bounds()?;
        no_return |= self.eat(".noreturn");
        let mut code = Entry { visible: false, bounds, pragmas, ..Entry::new(name) };
        let module = std::mem::take(&mut self.names);
        let mut function = Function {
            linkage,
            no_return,
            results: Vec::new(),
            arguments: Vec::new(),
            code: Entry::default(),
            defined: !self.eat(";"),
        };
        {
            // A name that is declared twice is reported where the function's own name stands.
            let mut scope = Scope::new(&module);
            let duplicate = |parser: &Self, name: &str| {
                let kind = ParseErrorKind::Duplicate { name: name.to_owned() };
                parser.tokens[name_at - 1].error(kind)
            };
            for (list, signature) in
                [(&mut function.results, &results), (&mut function.arguments, &arguments)]
            {
                for (name, param) in signature {
                    let declared = declare(&mut code, &mut scope, name, param);
                    list.push(declared.map_err(|Taken| duplicate(self, name))?);
                }
            }
        }
        function.code = code;
        let defined = function.defined;
        self.names = module;
        let id = self.add_function(name, name_at, function)?;
        if !defined {
            return Ok(());
        }
        let names = std::mem::take(&mut self.names);
        self.function_body(id, &names, &results, &arguments)?;
        self.names = names;
        Ok(())
    }

    /// Reads the body once the function has its name, which its own body may call.
    fn function_body(
        &mut self,
        id: FunctionId,
        names: &HashMap<&'a str, Symbol>,
        results: &Signature<'a>,
        arguments: &Signature<'a>,
    ) -> Result<(), ParseError> {
        let known = &self.module.functions[id].code;
        let (bounds, pragmas) = (known.bounds, known.pragmas.clone());
        let mut code = Entry { visible: false, bounds, pragmas, ..Entry::new(known.name.clone()) };
        let mut scope = Scope::new(names);
        for (name, param) in results.iter().chain(arguments) {
            declare(&mut code, &mut scope, name, param).or_else(|Taken| self.duplicate(name))?;
        }
        self.body(&mut code, &mut scope)?;
        self.module.functions[id].code = code;
        Ok(())
    }

    /// A definition takes the place of the declarations before it, whose sizes must be its own.
    fn add_function(
        &mut self,
        name: &'a str,
        name_at: usize,
        function: Function,
    ) -> Result<FunctionId, ParseError> {
        let error = |kind| self.tokens[name_at - 1].error(kind);
        match self.names.get(name) {
            None => {
                let id = self.module.functions.push(function);
                self.names.insert(name, Symbol::Function(id));
                Ok(id)
            }
            Some(&Symbol::Function(id)) => {
                let known = &mut self.module.functions[id];
                if known.defined && function.defined {
                    return Err(error(ParseErrorKind::Duplicate { name: name.to_owned() }));
                }
                if known.sizes() != function.sizes() {
                    return Err(error(ParseErrorKind::Redeclared { name: name.to_owned() }));
                }
                if !known.defined {
                    let linkage = match (function.linkage, known.linkage) {
                        (Linkage::Internal, Linkage::Visible | Linkage::Weak) => known.linkage,
                        (linkage, _) => linkage,
                    };
                    *known = Function { linkage, ..function };
                }
                Ok(id)
            }
            Some(Symbol::Global(_) | Symbol::Param(_) | Symbol::Var(_)) => {
                Err(error(ParseErrorKind::Duplicate { name: name.to_owned() }))
            }
        }
    }

    /// `(.param .b32 a, .reg .b32 b)`.
    pub(super) fn signature(&mut self) -> Result<Signature<'a>, ParseError> {
        let mut items = Vec::new();
        self.list(|parser| {
            if parser.eat(".reg") {
                let ty = parser.register_type()?;
                let name = parser.name()?;
                items.push((name, PrototypeParam::Reg(ty, name.to_owned())));
            } else {
                let (name, param) = parser.param()?;
                items.push((name, PrototypeParam::Param(param)));
            }
            Ok(())
        })?;
        Ok(items)
    }

    fn param(&mut self) -> Result<(&'a str, Param), ParseError> {
        self.take(".param")?;
        let align = self.align()?;
        let ty = self.scalar_type()?;
        let pointer = if self.eat(".ptr") {
            let space = match self.text() {
                ".global" => PointerSpace::Global,
                ".shared" => PointerSpace::Shared,
                ".const" => PointerSpace::Const,
                ".local" => PointerSpace::Local,
                _ => PointerSpace::Generic,
            };
            self.at += usize::from(space != PointerSpace::Generic);
            Some(PointerAttr { space, align: self.align()? })
        } else {
            None
        };
        let name = self.name()?;
        let mut array = None;
        if self.eat("[") {
            if self.is("]") {
                return self.unsupported("variable number of arguments before");
            }
            array = Some(self.number()?);
            self.take("]")?;
        }
        Ok((name, Param { name: name.to_owned(), ty, array, align, pointer }))
    }

    fn bounds(&mut self) -> Result<(LaunchBounds, Vec<Box<str>>), ParseError> {
        let mut bounds = LaunchBounds::default();
        let mut pragmas = Vec::new();
        while !(self.is("{") || self.is(";") || self.is(".noreturn")) {
            if self.eat(".maxntid") {
                bounds.max_threads = Some(self.shape()?);
            } else if self.eat(".reqntid") {
                bounds.required_threads = Some(self.shape()?);
            } else if self.eat(".minnctapersm") {
                bounds.min_ctas = Some(self.number_u32()?);
            } else if self.eat(".maxnreg") {
                bounds.max_registers = Some(self.number_u32()?);
            } else if self.eat(".reqnctapercluster") {
                bounds.cluster = Some(self.shape()?);
            } else if self.eat(".explicitcluster") {
                bounds.explicit_cluster = true;
            } else if self.eat(".maxclusterrank") {
                bounds.max_cluster_rank = Some(self.number_u32()?);
            } else if self.eat(".pragma") {
                pragmas.push(self.pragma()?);
            } else if self.text().starts_with('.') {
                return self.unsupported("directive");
            } else {
                return self.expected("{");
            }
        }
        Ok((bounds, pragmas))
    }

    fn shape(&mut self) -> Result<[u32; 3], ParseError> {
        let mut shape = [self.number_u32()?, 1, 1];
        for extent in &mut shape[1..] {
            if !self.eat(",") {
                break;
            }
            *extent = self.number_u32()?;
        }
        Ok(shape)
    }
}

/// Makes a result or an argument known to the function's body.
fn declare<'a>(
    code: &mut Entry,
    scope: &mut Scope<'a, '_>,
    name: &'a str,
    param: &PrototypeParam,
) -> Result<FunctionParam, Taken> {
    match param {
        PrototypeParam::Param(param) => {
            let id = code.params.push(param.clone());
            // `_` is a parameter that nobody reads; there may be several.
            if name != "_" {
                scope.param(name, Symbol::Param(id))?;
            }
            Ok(FunctionParam::Param(id))
        }
        PrototypeParam::Reg(ty, _) if name == "_" => {
            Ok(FunctionParam::Reg(code.regs.new_reg(ty.class(), "_")))
        }
        PrototypeParam::Reg(ty, _) => scope.reg(code, *ty, name).map(FunctionParam::Reg),
    }
}

impl Function {
    /// Classes of registers and bytes of parameters, of the results and of the arguments.
    fn sizes(&self) -> [Vec<(Option<RegClass>, u64)>; 2] {
        let size = |param: &FunctionParam| match *param {
            FunctionParam::Param(id) => (None, self.code.params[id].bytes()),
            FunctionParam::Reg(reg) => (Some(reg.class()), 0),
        };
        [self.results.iter().map(size).collect(), self.arguments.iter().map(size).collect()]
    }
}
